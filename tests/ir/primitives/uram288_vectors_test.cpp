// SPDX-License-Identifier: Apache-2.0
// The vendor's answers, reproduced by the kernel of the primitive table: every known digit of every
// trace, in every lane. Lane k begins k clocks later.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/primitives/uram288.h"
#include "tests/support/uram288_traces.h"

namespace kumiki::tests {
namespace primitives_uram288_vectors_test {

constexpr std::size_t lane_count = 64;

// The bits that ask nothing of either port.
std::vector<bool> idle(const Uram288Trace& trace) {
  std::vector<bool> in(trace.inputs[0].size());
  std::uint32_t net = 0;
  for (const ir::Pin& pin : ir::uram288_prototype().inputs) {
    const std::string inverted = "IS_" + std::string(pin.name) + "_INVERTED";
    const auto params = ir::uram288_prototype().params;
    const auto at = std::ranges::find(params, inverted, &ir::Param::name);
    if (at != params.end() && !pin.clock)
      in[net] = trace.params[static_cast<std::size_t>(at - params.begin())] != 0;
    net += pin.width;
  }
  return in;
}

TEST(Uram288Vectors, EveryLaneReproducesEveryKnownDigit) {
  const ir::Kernel& kernel = ir::uram288_prototype().kernel;
  const auto traces = read_uram288_traces(KUMIKI_TEST_DIR "/vectors/uram288");
  std::size_t known = 0, clocks = 0, wrong = 0;
  for (const Uram288Trace& trace : traces) {
    const ir::CellView view{trace.params, 1, nullptr};
    std::vector<ir::Lanes> state(kernel.state_words(view)), in(trace.inputs[0].size()),
        out(trace.answers[0].size());
    kernel.power_up(view, state.data());
    const std::vector<bool> nothing = idle(trace);
    const std::size_t rows = trace.inputs.size();
    for (std::size_t t = 0; t < rows + lane_count - 1; ++t) {
      std::ranges::fill(in, 0);
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const bool runs = lane <= t && t - lane < rows;
        const std::vector<bool>& row = runs ? trace.inputs[t - lane] : nothing;
        for (std::size_t i = 0; i < in.size(); ++i) in[i] |= ir::Lanes{row[i]} << lane;
      }
      kernel.clock(view, in.data(), state.data());
      kernel.evaluate(view, in.data(), state.data(), out.data());
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        if (lane > t || t - lane >= rows) continue;
        const std::size_t row = t - lane;
        for (std::size_t o = 0; o < out.size(); ++o)
          wrong += trace.is_known[row][o] && (out[o] >> lane & 1) != trace.answers[row][o];
      }
      ASSERT_EQ(wrong, 0u) << trace.name << " clock " << t;
    }
    known += trace.known_digits;
    clocks += rows;
  }
  EXPECT_EQ(traces.size(), 32u);
  EXPECT_EQ(clocks, 32u * 200u);
  EXPECT_EQ(known, 243200u);
}

}  // namespace primitives_uram288_vectors_test
}  // namespace kumiki::tests
