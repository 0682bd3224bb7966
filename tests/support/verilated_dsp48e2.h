// SPDX-License-Identifier: Apache-2.0
// DSP48E2.v and DSP48E1.v of templates/primitives under Verilator: one build that holds many
// parameter sets side by side, run one after the other.
#pragma once
#include <string>
#include <vector>

#include "tests/support/dsp48e2_model.h"

namespace kumiki::tests {

struct Dsp48e2Run {
  std::size_t instance;  // which of the parameter sets
  std::vector<ir::Dsp48e2Inputs> inputs;
};

struct Dsp48e2Sample {
  ir::Dsp48e2Outputs before, after;  // the clock edge, with the cycle's inputs applied
};

class VerilatedDsp48e2 {
 public:
  // Builds in `folder`, which it creates. Throws ToolError with Verilator's words when it fails; a
  // warning (-Wall, no waiver) is a failure. IS_CLK_INVERTED must be 0.
  VerilatedDsp48e2(const std::vector<ir::Dsp48e2Attributes>& instances, std::string folder);

  // Every run starts from power-up.
  std::vector<std::vector<Dsp48e2Sample>> run(const std::vector<Dsp48e2Run>& runs) const;

 private:
  std::string folder_;
};

}  // namespace kumiki::tests
