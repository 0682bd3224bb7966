// SPDX-License-Identifier: Apache-2.0
// Neurons over several cycles in lockstep with the count of agreements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/native/machine.h"
#include "gen/blocks/compressor/build.h"
#include "gen/layers/neuron/serial.h"
#include "ir/error.h"
#include "ir/resources.h"
#include "tests/support/printed_plan.h"

namespace kumiki::gen::neuron {
namespace neuron_serial_test {

using ::testing::HasSubstr;

SerialRequest request(unsigned inputs, unsigned cycles, bool embedded,
                      std::optional<std::uint32_t> threshold, unsigned pipeline) {
  SerialRequest r;
  r.effort = 0;
  r.pipeline = pipeline;
  r.inputs = inputs;
  r.cycles = cycles;
  r.threshold = threshold;
  if (embedded) {
    r.weights.emplace();
    for (unsigned i = 0; i < inputs; ++i) r.weights->push_back(i * 2654435761u >> 16 & 1);
  }
  return r;
}

using Case = std::tuple<std::pair<unsigned, unsigned>, bool, int, unsigned>;
class EverySerial : public ::testing::TestWithParam<Case> {};

TEST_P(EverySerial, IsInLockstepWithTheCountOfAgreements) {
  auto [size, embedded, edge, pipeline] = GetParam();
  auto [inputs, cycles] = size;
  // Thresholds at every edge; -1: as an input.
  const std::uint32_t edges[] = {0, 1, inputs / 2, inputs, inputs + 1};
  const auto r = request(inputs, cycles, embedded,
                         edge < 0 ? std::nullopt : std::optional(edges[edge]), pipeline);
  auto layer = make_serial(r);
  Builder builder(ir::Family::series7);
  ir::Module& m = layer->build(builder, {});
  builder.design().set_top(m.id());
  backends::NativeMachine native(builder.design());
  auto model = layer->model();
  backends::Stimulus stimulus(ir::layout(m),
                              {.seed = 4, .cycles = 3000, .stall = 0.1, .resets = 3});
  auto result = backends::run_lockstep(*model, native, stimulus, {.cycles = 3000});
  EXPECT_TRUE(result.passed());
  EXPECT_GT(result.stimulus.stalls, 20u);
  EXPECT_GE(result.moving_output_bits, 1u);  // sets come to an end
}

std::vector<std::pair<unsigned, unsigned>> sizes() {
  // Not divisible, one lane, one in the last portion, and more cycles than a LUT sees.
  return {{6, 1}, {6, 2}, {12, 3}, {5, 5}, {32, 8}, {7, 2}, {33, 3}, {65, 7}, {1, 1}};
}

INSTANTIATE_TEST_SUITE_P(Serial, EverySerial,
                         ::testing::Combine(::testing::ValuesIn(sizes()), ::testing::Bool(),
                                            ::testing::Values(-1, 0, 1, 2, 3, 4),
                                            ::testing::Values(0u, 1u, 2u)));

// Weights out of a memory: one LUT, LUTs and one that chooses, two levels of them.
INSTANTIATE_TEST_SUITE_P(
    Long, EverySerial,
    ::testing::Combine(::testing::Values(std::pair(96u, 32u), std::pair(100u, 34u),
                                         std::pair(140u, 70u), std::pair(299u, 150u)),
                       ::testing::Bool(), ::testing::Values(-1, 2), ::testing::Values(0u, 1u)));

// The model against the definition, set by set, all agreements and one fewer at the threshold.
TEST(Serial, TheModelAnswersWithTheDefinition) {
  auto r = request(12, 3, true, 12, 0);
  auto model = make_serial(r)->model();
  for (unsigned flip = 0; flip < 2; ++flip) {
    ir::Frame out;
    bool seen = false;
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      std::uint64_t x = 0;
      for (unsigned i = 0; i < 4 && cycle < 3; ++i)
        x |= std::uint64_t{(*r.weights)[cycle * 4 + i]} << i;
      if (cycle == 1) x ^= flip;
      model->step({0, 1, cycle == 0, x}, out);
      if (!out[0]) continue;
      seen = true;
      EXPECT_EQ(out[1], 1 - flip);
      EXPECT_EQ(cycle, 3u);
    }
    EXPECT_TRUE(seen);
  }
}

// Half the tree each time the cycles double; what stays is the accumulator.
TEST(Serial, MoreCyclesAreSmaller) {
  auto sites = [](unsigned cycles) {
    auto layer = make_serial(request(64, cycles, false, 32, 0));
    Builder builder(ir::Family::series7);
    return ir::own_cost(layer->build(builder, {})).luts;
  };
  EXPECT_GT(sites(1), sites(2));
  EXPECT_GT(sites(2), sites(8));
  EXPECT_LE(sites(64), 30u);
  EXPECT_LE(sites(2), 41u);
}

// Inputs that are the same modulo the lanes share a LUT with the number of the cycle, and a lane
// whose weight is always the same needs none.
TEST(Serial, EmbeddedWeightsCostNoMoreThanTheirLanes) {
  auto sites = [](unsigned inputs, unsigned cycles, bool alike) {
    auto r = request(inputs, cycles, true, inputs / 2, 0);
    if (alike) r.weights->assign(inputs, 1);
    Builder builder(ir::Family::series7);
    return ir::own_cost(make_serial(r)->build(builder, {})).luts;
  };
  EXPECT_LE(sites(64, 8, true), sites(64, 8, false) - 4);
  // A bit of 64 weights a LUT.
  EXPECT_LE(sites(256, 64, false), sites(256, 64, true) + 4);
  EXPECT_LE(sites(512, 128, false), sites(512, 128, true) + 4 * 3);
}

TEST(Serial, ThePlanSaysWhatTheNetlistHasAndWhatOfItIsTheTree) {
  auto layer = make_serial(request(64, 8, false, 32, 0));
  Builder builder(ir::Family::series7);
  const auto plan = tests::printed_plan(*layer);
  EXPECT_EQ(plan["luts"], ir::own_cost(layer->build(builder, {})).luts);
  EXPECT_GT(plan["tree_luts"], 0);
  EXPECT_LT(plan["tree_luts"], plan["luts"]);
}

TEST(Serial, AbsurdRequestsAreRefused) {
  auto refused = [](const SerialRequest& r, const char* why) {
    try {
      plan_serial(r);
      ADD_FAILURE() << why;
    } catch (const DesignError& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
    }
  };
  refused(request(10, 11, false, 5, 0), "must be 1 to 10");
  refused(request(10, 0, false, 5, 0), "must be 1 to 10");
  // Two each: five cycles have them all.
  refused(request(10, 6, false, 5, 0), "must be 5, which takes all 10 inputs");
  refused(request(10, 2, false, 12, 0), "must be 0 (always one) to 11 (never)");
  auto r = request(10, 2, true, 5, 0);
  r.weights->pop_back();
  refused(r, "has 9 entries");
  refused(request(0, 1, false, 0, 0), "at least 1");
}

}  // namespace neuron_serial_test
}  // namespace kumiki::gen::neuron
