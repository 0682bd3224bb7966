// SPDX-License-Identifier: Apache-2.0
// The vendor's answers, reproduced by the C++ model: every known digit of every trace.
#include <gtest/gtest.h>

#include "tests/support/dsp48e2_traces.h"

namespace kumiki::tests {
namespace {

const std::vector<Dsp48e2Trace>& traces() {
  static const auto all = read_dsp48e2_traces(KUMIKI_TEST_DIR "/vectors/dsp48e2");
  return all;
}

TEST(Dsp48e2Vectors, ModelReproducesEveryKnownDigit) {
  std::size_t known = 0, cycles = 0;
  for (const auto& trace : traces()) {
    ir::Dsp48e2State state;
    for (std::size_t t = 0; t < trace.cycles.size(); ++t, ++cycles) {
      const auto& cycle = trace.cycles[t];
      clock(trace.attributes, state, cycle.in);
      EXPECT_EQ(mismatch(cycle, outputs(trace.attributes, state, cycle.in), known), "")
          << trace.name << " cycle " << t << "\n  " << verilog_parameters(trace.attributes);
    }
  }
  EXPECT_EQ(traces().size(), 180u);
  EXPECT_EQ(cycles, 180u * 48u);
  EXPECT_EQ(known, 376063u);
}

}  // namespace
}  // namespace kumiki::tests
