// SPDX-License-Identifier: Apache-2.0
// Planes of integers that are equal to sums in float32, for every pair of numbers.
#include <cmath>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/onnx/import.h"
#include "gen/operators/add/machine.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::add_rule_test {

Pairs sums_of(const graph::Tensor& a, const graph::Tensor& b, const graph::Tensor& sum) {
  Pairs pairs{.a = a.format.range(), .b = b.format.range(), .results = {}};
  for (auto qa = static_cast<int>(pairs.a.lo); qa <= pairs.a.hi; ++qa)
    for (auto qb = static_cast<int>(pairs.b.lo); qb <= pairs.b.hi; ++qb)
      pairs.results.push_back(static_cast<std::int16_t>(graph::added(a, b, sum, qa, qb)));
  return pairs;
}

graph::Tensor number(int bits, bool is_signed, float scale, int zero_point) {
  return {.format = {bits, is_signed}, .zero_point = zero_point, .scale = scale};
}

// By hand: (5 * 2 + 3 * 1 + 1) / 4 = 3.5 and (5 * 2 + 7 * 1 + 1) / 4 = 4.5.
TEST(AddRule, FloorsTiesAndBounds) {
  AddRule rule{.factor_a = 2, .factor_b = 1, .offset = 1, .shift = 2, .lowest = -1, .highest = 4};
  EXPECT_EQ(rule.at(5, 3), 3);
  EXPECT_EQ(rule.at(5, 7), 4);
  EXPECT_EQ(rule.at(5, 9), 4);    // 5: above the bounds
  EXPECT_EQ(rule.at(-5, 0), -1);  // -9 / 4 is -2.25, rounded down to -3
  rule.tie_bits = 0;
  rule.offset = 3;              // 1, and a half for the nearest
  EXPECT_EQ(rule.at(5, 3), 4);  // 16 / 4 is a tie between 3 and 4
  EXPECT_EQ(rule.at(1, 7), 2);  // 12 / 4 is one between 2 and 3
  EXPECT_EQ(rule.at(1, 8), 3);
  rule.tie_bits = 1;
  EXPECT_EQ(rule.at(1, 8), 2);  // 13 / 4 is one as well
  EXPECT_EQ(to_string(rule), "(a * 2 + b * 1 + 3) >> 2, ties of 1 bits to even, in [-1, 4]");
}

TEST(AddRule, PairsThatAreMoved) {
  AddRule rule{.factor_a = 2, .factor_b = 1, .shift = 2, .lowest = -8, .highest = 7};
  rule.moved = {{1, 1, true}, {2, 0, false}};
  EXPECT_EQ(rule.at(1, 1), 1);  // 3 / 4, and a half
  EXPECT_EQ(rule.at(0, 3), 0);
  EXPECT_EQ(rule.at(2, 0), 0);  // 4 / 4, less a half
  EXPECT_EQ(rule.at(1, 2), 1);
  EXPECT_EQ(to_string(rule),
            "(a * 2 + b * 1 + 0) >> 2, (1, 1) half a number up, (2, 0) half a number down, "
            "in [-8, 7]");
}

TEST(AddRule, OneFactorAndTheOtherAPowerOfTwoAway) {
  const AddRule rule{.factor_a = 20, .factor_b = 5};
  ASSERT_TRUE(rule.single());
  EXPECT_EQ(rule.single()->factor, 5);
  EXPECT_EQ(rule.single()->shift_a, 2);
  EXPECT_EQ(rule.single()->shift_b, 0);
  EXPECT_FALSE((AddRule{.factor_a = 20, .factor_b = 6}.single()));
}

TEST(AddRule, AllSumsOfTheResidualNetwork) {
  const auto model = onnx::import_model(std::filesystem::path(KUMIKI_TEST_DIR).parent_path() /
                                        "examples/models/fashion_residual.onnx");
  const auto reached = graph::reached_numbers(model.graph);
  std::size_t sums = 0;
  for (const graph::Node& node : model.graph.nodes) {
    if (!std::holds_alternative<graph::Add>(node.op)) continue;
    SCOPED_TRACE(node.name);
    const auto& out = model.graph.tensors[node.output];
    Stream a{.height = out.shape[1], .width = out.shape[2], .channels = out.shape[0], .lanes = 8};
    Stream b = a;
    a.format = model.graph.tensors[node.inputs[0]].format;
    b.format = model.graph.tensors[node.inputs[1]].format;
    const Pairs pairs = pairs_of(model.graph, node, reached);
    EXPECT_EQ(pairs.results.size(), 65536u);
    const AddPlan plan = plan_add(a, b, out.format, pairs);
    EXPECT_EQ(plan.form, AddForm::two_slices) << plan.text();
    EXPECT_EQ(differences(pairs, plan.rule).size(), 0u) << plan.text();
    EXPECT_EQ(plan.results, pairs.results);
    EXPECT_EQ(plan.slices(), 16);
    ++sums;
  }
  EXPECT_EQ(sums, 5u);
}

TEST(AddRule, ScalesAsTrainingGivesThem) {
  std::mt19937_64 random(test::rotating_seed());
  std::uniform_real_distribution<double> power(-2, 1);
  const auto scale = [&] { return static_cast<float>(0.05 * std::exp2(power(random))); };
  for (int i = 0; i < 5; ++i) {
    const bool is_signed = i % 2 == 0;
    const int low = is_signed ? -128 : 0;
    const auto zero = [&] { return low + static_cast<int>(random() % 256); };
    const auto a = number(8, is_signed, scale(), zero()), b = number(8, is_signed, scale(), zero());
    const auto sum = number(8, is_signed, 2 * scale(), zero());
    const Pairs pairs = sums_of(a, b, sum);
    const auto rule = equal_rule(pairs, sum.format.range());
    ASSERT_TRUE(rule) << a.scale << " " << b.scale << " " << sum.scale;
    EXPECT_EQ(differences(pairs, *rule).size(), 0u) << to_string(*rule);
  }
}

// Of scales that are powers of two every result is exact, and halves are ties.
TEST(AddRule, PowersOfTwo) {
  for (const auto& [a, b, sum] :
       {std::array{1.F, 1.F, 2.F}, {0.5F, 1.F, 4.F}, {1.F, 0.25F, 0.5F}}) {
    const auto out = number(8, true, sum, 5);
    const Pairs pairs = sums_of(number(8, true, a, 3), number(8, true, b, -7), out);
    const auto rule = equal_rule(pairs, out.format.range());
    ASSERT_TRUE(rule);
    EXPECT_TRUE(rule->single());
    EXPECT_TRUE(rule->tie_bits);
    EXPECT_LE(rule->shift, 4);
    EXPECT_EQ(differences(pairs, *rule).size(), 0u) << to_string(*rule);
  }
}

// A tenth is no float: what would be a tie is rounded to either side, pair by pair.
TEST(AddRule, WhereThereIsNoPlane) {
  const auto out = number(8, true, 1, 5);
  const Pairs pairs = sums_of(number(8, true, 0.3F, 3), number(8, true, 0.3F, -7), out);
  EXPECT_FALSE(equal_rule(pairs, out.format.range()));
  const Stream stream{.format = {8, true}};
  const AddPlan plan = plan_add(stream, stream, out.format, pairs);
  EXPECT_EQ(plan.form, AddForm::memory);
  EXPECT_EQ(plan.results, pairs.results);
  EXPECT_EQ(plan.text(),
            "8 + 8 bits in 1 lanes, no plane is equal: a block memory of 65536 x 8 bits a lane");
  // Any other rule names the pairs.
  AddRule other{
      .factor_a = 3, .factor_b = 3, .offset = 67, .shift = 4, .lowest = -128, .highest = 127};
  const auto found = differences(pairs, other, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].wanted,
            graph::added(number(8, true, 0.3F, 3), number(8, true, 0.3F, -7), out,
                         static_cast<int>(found[0].a), static_cast<int>(found[0].b)));
  EXPECT_NE(found[0].given, found[0].wanted);
}

// Only what is reached has to be equal.
TEST(AddRule, NumbersThatAreNeverReached) {
  const Stream stream{.format = {8, true}};
  Pairs pairs{.a = {0, 3}, .b = {-1, 0}, .results = {-1, 0, 0, 1, 1, 2, 2, 3}};  // a + b
  const AddPlan plan = plan_add(stream, stream, {4, true}, pairs);
  EXPECT_EQ(plan.form, AddForm::one_slice);
  EXPECT_EQ(differences(pairs, plan.rule).size(), 0u);
  for (std::int64_t a = -128; a < 128; ++a)
    for (std::int64_t b = -128; b < 128; ++b)
      EXPECT_EQ(plan.results[static_cast<std::size_t>((a + 128) * 256 + b + 128)],
                plan.rule.at(a, b));
}

}  // namespace kumiki::gen::pipeline::add_rule_test
