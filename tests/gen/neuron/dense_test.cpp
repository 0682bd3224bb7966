// SPDX-License-Identifier: Apache-2.0
// Dense layers: exact for every sharing, pipelined or not, and sharing pays where neurons are many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/lockstep/lockstep.h"
#include "backends/native/machine.h"
#include "gen/compressor/build.h"
#include "gen/neuron/dense.h"
#include "ir/error.h"

namespace kumiki::gen::neuron {
namespace {

using ::testing::HasSubstr;

DenseRequest request(unsigned neurons, unsigned inputs, Sharing sharing, unsigned pipeline) {
  DenseRequest r;
  r.effort = 0;
  r.pipeline = pipeline;
  r.inputs = inputs;
  r.sharing = sharing;
  std::uint64_t state = 7;
  std::vector<std::uint32_t> thresholds;
  for (unsigned m = 0; m < neurons; ++m) {
    std::vector<std::uint8_t> row;
    for (unsigned i = 0; i < inputs; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      row.push_back(state >> 40 & 1);
    }
    // Corners among them: never, always, one agreement, all.
    const std::uint32_t corners[] = {inputs / 2, inputs + 1, 0, 1, inputs};
    thresholds.push_back(m < 5 ? corners[m] : inputs / 2 + m % 3);
    r.weights.push_back(std::move(row));
  }
  r.threshold = thresholds;
  return r;
}

class EveryDense : public ::testing::TestWithParam<std::tuple<Sharing, unsigned, unsigned>> {};

TEST_P(EveryDense, IsInLockstepWithTheCountOfAgreements) {
  auto [sharing, inputs, pipeline] = GetParam();
  const DenseRequest r = request(12, inputs, sharing, pipeline);
  auto layer = make_dense(r);
  Builder builder(ir::Family::series7);
  ir::Module& m = layer->build(builder, {});
  builder.design().set_top(m.id());
  backends::NativeMachine native(builder.design());
  auto model = layer->model();
  // All agree with one of the neurons, or all but one: the edges of its threshold.
  backends::StimulusOptions options{.seed = 2, .cycles = 2000, .stall = 0.1};
  options.weights.given = 5;
  const auto ports = ir::layout(m);
  for (const auto& row : r.weights)
    for (unsigned flip = 0; flip <= inputs; ++flip) {
      ir::Frame frame(ports.input_limbs, 0);
      if (pipeline > 0) frame[1] = frame[2] = 1;
      for (unsigned i = 0; i < inputs; ++i)
        frame.back() |= std::uint64_t((row[i] != 0) != (i < flip)) << i;
      options.given.push_back(frame);
    }
  backends::Stimulus stimulus(ports, options);
  auto result = backends::run_lockstep(*model, native, stimulus, {.cycles = 2000});
  EXPECT_TRUE(result.passed());
  // A plan does not know which bits are inverted: where a comparison finds nothing else in its
  // lowest column none of them can be its carry.
  EXPECT_LE(compressor::lut_sites(m), plan_dense(r).luts() + r.weights.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Dense, EveryDense,
    ::testing::Combine(::testing::Values(Sharing::none, Sharing::three, Sharing::six),
                       ::testing::Values(1u, 8u, 13u), ::testing::Values(0u, 1u, 2u)));

TEST(DensePlan, SharingPaysWhereNeuronsAreMany) {
  DenseRequest few = request(2, 36, Sharing::none, 0), many = request(160, 36, Sharing::none, 0);
  few.threshold = many.threshold = 19u;
  auto luts = [](DenseRequest r, Sharing s) {
    r.sharing = s;
    return plan_dense(r).luts();
  };
  EXPECT_LT(luts(few, Sharing::none), luts(few, Sharing::six));
  EXPECT_LT(luts(many, Sharing::three), luts(many, Sharing::none));
  EXPECT_EQ(
      luts(few, Sharing::automatic),
      std::min({luts(few, Sharing::none), luts(few, Sharing::three), luts(few, Sharing::six)}));
  // A group of three has four counters at most.
  many.sharing = Sharing::three;
  EXPECT_LE(plan_dense(many).counts.size(), 4u * 12);
}

TEST(DensePlan, AbsurdRequestsAreRefused) {
  auto refused = [](const DenseRequest& r, const char* why) {
    try {
      plan_dense(r);
      ADD_FAILURE() << why;
    } catch (const DesignError& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
    }
  };
  DenseRequest r = request(6, 8, Sharing::none, 0);
  r.weights[3].pop_back();
  refused(r, "a row of 7 weights for 8 inputs");
  r = request(6, 8, Sharing::none, 0);
  r.threshold = std::vector<std::uint32_t>{1, 2};
  refused(r, "2 thresholds for 6 neurons");
  r.threshold = 10u;
  refused(r, "0 (always one) to 9 (never) is legal");
  refused(DenseRequest{}, "at least one of each");
}

}  // namespace
}  // namespace kumiki::gen::neuron
