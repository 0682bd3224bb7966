// SPDX-License-Identifier: Apache-2.0
// Recorded answers of the vendor's models of the DSP48E2 and the DSP48E1, see
// tests/vectors/README.md.
#pragma once
#include <string>
#include <vector>

#include "tests/support/dsp48e2_model.h"

namespace kumiki::tests {

struct Dsp48e2Cycle {
  ir::Dsp48e2Inputs in;
  // Hex digits for every output pin, or bits after % where a digit is known only in part; x:
  // unknown.
  std::vector<std::string> expected;
};

struct Dsp48e2Trace {
  std::string name;
  ir::Dsp48e2Attributes attributes;
  std::vector<Dsp48e2Cycle> cycles;
};

// All traces of a kind, sorted by name.
std::vector<Dsp48e2Trace> read_dsp_traces(ir::Kind kind);

// Compares digit by digit and skips the unknown ones; "" or what differs ("P: got 12, expected
// 1x"). `known` counts the digits compared, and the bits where there are bits.
std::string mismatch(const Dsp48e2Cycle& cycle, const ir::Dsp48e2Outputs& got, std::size_t& known);

}  // namespace kumiki::tests
