// SPDX-License-Identifier: Apache-2.0
// Dense layers: exact for every sharing, pipelined or not, and sharing pays where neurons are many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/native/machine.h"
#include "gen/blocks/compressor/build.h"
#include "gen/layers/neuron/dense.h"
#include "ir/error.h"
#include "ir/resources.h"
#include "tests/support/printed_plan.h"

namespace kumiki::gen::neuron {
namespace neuron_dense_test {

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
  if (neurons > 10) {  // one that is there twice, and once for another threshold
    r.weights[10] = r.weights[9] = r.weights[6];
    thresholds[10] = thresholds[6];
    thresholds[9] = thresholds[6] + 1;
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
  EXPECT_LE(ir::own_cost(m).luts, plan_dense(r).luts() + r.weights.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Seven, EveryDense,
                         ::testing::Combine(::testing::Values(Sharing::seven),
                                            ::testing::Values(1u, 7u, 8u, 14u, 19u),
                                            ::testing::Values(0u, 3u)));
INSTANTIATE_TEST_SUITE_P(
    Dense, EveryDense,
    ::testing::Combine(::testing::Values(Sharing::none, Sharing::three, Sharing::six),
                       ::testing::Values(1u, 8u, 13u), ::testing::Values(0u, 1u, 2u)));

TEST(DensePlan, SharingPaysWhereNeuronsAreMany) {
  DenseRequest few = request(2, 21, Sharing::none, 0), many = request(160, 21, Sharing::none, 0);
  few.threshold = many.threshold = 11u;
  auto plan = [](DenseRequest r, Sharing s) {
    r.sharing = s;
    return plan_dense(r);
  };
  auto luts = [&](const DenseRequest& r, Sharing s) { return plan(r, s).luts(); };
  // Of two neurons half of the inputs, about, are alike.
  EXPECT_LT(luts(few, Sharing::automatic), luts(few, Sharing::none));
  const unsigned alone = luts(many, Sharing::none), seven = luts(many, Sharing::seven);
  EXPECT_LT(luts(many, Sharing::three), alone);
  EXPECT_LT(luts(many, Sharing::six), luts(many, Sharing::three));
  EXPECT_LT(seven, luts(many, Sharing::six));
  const DensePlan chosen = plan(many, Sharing::automatic);
  EXPECT_EQ(chosen.luts(), seven);
  // What it says that sharing saves is no more than it does.
  EXPECT_GT(chosen.alone_luts, seven);
  EXPECT_LE(chosen.alone_luts, alone);
  // Neurons that share nothing need as much each, however many there are.
  const double of_a_neuron = plan(few, Sharing::automatic).alone_luts / 2.0;
  EXPECT_NEAR(chosen.alone_luts / 160.0, of_a_neuron, 0.5);
  // A group of three has four counters at most, one of seven 64 and four full adders.
  EXPECT_LE(plan(many, Sharing::three).counts.size(), 4u * 7);
  EXPECT_LE(chosen.counts.size(), 64u * 3);
  EXPECT_LE(chosen.triples.size(), 4u * 3);
}

// Inputs i and i + 7 have the same weights, or all different ones, in every neuron: together they
// need few counters, in the order in which they come all that there can be.
TEST(DensePlan, InputsThatAreAlikeAreCountedTogether) {
  DenseRequest r = request(40, 21, Sharing::three, 0);
  r.threshold = 11u;
  for (auto& row : r.weights)
    for (unsigned i = 7; i < 21; ++i) row[i] = row[i - 7] ^ (i % 2);
  const DensePlan plan = plan_dense(r);
  EXPECT_EQ(plan.counts.size(), 7u) << "one for each group, for all neurons";
  EXPECT_EQ(std::vector(plan.order.begin(), plan.order.begin() + 3),
            (std::vector<std::uint32_t>{0, 7, 14}));
}

TEST(DensePlan, NeuronsThatAreConstantOrThereAlreadyCostNothing) {
  DenseRequest r = request(6, 8, Sharing::three, 0);
  r.weights[4] = r.weights[5] = r.weights[0];
  r.threshold = std::vector<std::uint32_t>{4, 0, 9, 5, 4, 5};
  const DensePlan plan = plan_dense(r);
  EXPECT_EQ(plan.neurons[1].constant, true);
  EXPECT_EQ(plan.neurons[2].constant, false);
  EXPECT_EQ(plan.neurons[4].like, 0u);
  EXPECT_FALSE(plan.neurons[5].like) << "another threshold";
  DenseRequest without = r;
  for (int m : {4, 2, 1}) {
    without.weights.erase(without.weights.begin() + m);
    auto& t = std::get<1>(without.threshold);
    t.erase(t.begin() + m);
  }
  EXPECT_EQ(plan.luts(), plan_dense(without).luts());
  r.threshold = 0u;  // all of them
  EXPECT_EQ(plan_dense(r).luts(), 0u);
  EXPECT_EQ(tests::printed_plan(*make_dense(r))["constant_neurons"], 6);
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
  refused(r, "a row has 7 weights for 8 inputs; give one for each input");
  r = request(6, 8, Sharing::none, 0);
  r.threshold = std::vector<std::uint32_t>{1, 2};
  refused(r, "there are 2 thresholds for 6 neurons; give one, or one for each neuron");
  r.threshold = 10u;
  refused(r, "the threshold is 10 for 8 inputs; it must be 0 (always one) to 9 (never)");
  refused(DenseRequest{},
          "the dense layer has no inputs or no neurons; it must have at least one of each");
}

}  // namespace neuron_dense_test
}  // namespace kumiki::gen::neuron
