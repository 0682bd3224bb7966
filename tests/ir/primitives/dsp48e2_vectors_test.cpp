// SPDX-License-Identifier: Apache-2.0
// The vendor's answers, reproduced by the C++ model: every known digit of every trace.
#include <gtest/gtest.h>

#include "tests/support/dsp48e2_traces.h"

namespace kumiki::tests {
namespace primitives_dsp48e2_vectors_test {

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
  EXPECT_EQ(known, 384044u);
}

// In ONE48 only bit 3 of CARRYOUT means something, in TWO24 bits 3 and 1; each of them is compared.
TEST(Dsp48e2Vectors, EveryCarryThatMeansSomethingIsCompared) {
  using ir::dsp48e2::UseSimd;
  std::size_t seen[2] = {};
  for (const auto& trace : traces()) {
    const UseSimd simd = trace.attributes.use_simd;
    if (simd == UseSimd::four12) continue;
    ir::Dsp48e2State state;
    for (const auto& cycle : trace.cycles) {
      clock(trace.attributes, state, cycle.in);
      const auto right = outputs(trace.attributes, state, cycle.in);
      for (unsigned bit = 0; bit < 4; ++bit) {
        auto wrong = right;
        wrong.carryout ^= 1u << bit;
        std::size_t known = 0;
        const bool means = bit == 3 || (bit == 1 && simd == UseSimd::two24);
        if (!means) continue;
        EXPECT_NE(mismatch(cycle, wrong, known), "") << trace.name << " bit " << bit;
        ++seen[simd == UseSimd::two24];
      }
    }
  }
  EXPECT_EQ(seen[0], 6624u);
  EXPECT_EQ(seen[1], 2u * 1104u);
}

}  // namespace primitives_dsp48e2_vectors_test
}  // namespace kumiki::tests
