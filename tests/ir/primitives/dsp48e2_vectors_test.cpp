// SPDX-License-Identifier: Apache-2.0
// The vendor's answers for both slices, reproduced by the C++ model: every known digit of every
// trace.
#include <gtest/gtest.h>

#include "tests/support/dsp48e2_traces.h"

namespace kumiki::tests {
namespace primitives_dsp48e2_vectors_test {

struct Counts {
  std::size_t traces, cycles, known;
  bool operator==(const Counts&) const = default;
};

Counts replay(ir::Kind kind) {
  std::size_t known = 0, cycles = 0;
  const auto traces = read_dsp_traces(kind);
  for (const auto& trace : traces) {
    ir::Dsp48e2State state;
    for (std::size_t t = 0; t < trace.cycles.size(); ++t, ++cycles) {
      const auto& cycle = trace.cycles[t];
      clock(trace.attributes, state, cycle.in);
      EXPECT_EQ(mismatch(cycle, outputs(trace.attributes, state, cycle.in), known), "")
          << trace.name << " cycle " << t << "\n  " << verilog_parameters(trace.attributes);
    }
  }
  return {traces.size(), cycles, known};
}

TEST(Dsp48e2Vectors, ModelReproducesEveryKnownDigit) {
  EXPECT_EQ(replay(ir::Kind::dsp48e2), (Counts{180, 180 * 48, 384044}));
}

TEST(Dsp48e1Vectors, ModelReproducesEveryKnownDigit) {
  EXPECT_EQ(replay(ir::Kind::dsp48e1), (Counts{120, 120 * 64, 332146}));
}

// In ONE48 only bit 3 of CARRYOUT means something, in TWO24 bits 3 and 1; each of them is compared.
TEST(Dsp48e2Vectors, EveryCarryThatMeansSomethingIsCompared) {
  using ir::dsp48e2::UseSimd;
  std::size_t seen[2] = {};
  for (const auto& trace : read_dsp_traces(ir::Kind::dsp48e2)) {
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
