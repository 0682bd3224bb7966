// SPDX-License-Identifier: Apache-2.0
// Random legal configurations of a DSP48E2 or DSP48E1 and stimulus for them, the same everywhere
// for one seed.
#pragma once
#include <array>
#include <cstdint>

#include "ir/primitives/dsp48e2_legality.h"
#include "tests/support/dsp48e2_model.h"
#include "tests/support/random.h"

namespace kumiki::tests {

ir::Dsp48e2Attributes random_dsp48e2(Random& random, ir::Kind kind = ir::Kind::dsp48e2);

// Inputs cycle after cycle. Controls stay for a few cycles and are legal for the attributes, except
// for one cycle in eight when `illegal_too`: the models are defined for those as well.
class Dsp48e2Stimulus {
 public:
  Dsp48e2Stimulus(const ir::Dsp48e2Attributes& attributes, std::uint64_t seed,
                  bool illegal_too = true);
  ir::Dsp48e2Inputs next();

 private:
  struct Controls {
    std::uint64_t opmode, alumode, carryinsel;
  };
  bool is_legal(const Controls& controls) const;
  Controls random_controls();
  void choose_controls();

  ir::Dsp48e2Attributes attributes_;
  Random random_;
  bool illegal_too_;
  std::array<Controls, 16> legal_;
  Controls now_{};
};

}  // namespace kumiki::tests
