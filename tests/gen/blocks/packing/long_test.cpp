// SPDX-License-Identifier: Apache-2.0
// 65,536 terms of the worst sign, one column or many, in space and in time.
#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_long_test {

constexpr std::int64_t kTerms = 65536;

class LongSum : public ::testing::TestWithParam<Scheme> {};

TEST_P(LongSum, OfTheWorstSign) {
  const bool uint8 = GetParam() == Scheme::Wp487Uint8Dsp;
  OperandFormat packed = uint8 ? U(8) : S(8);
  OperandFormat shared = S(8);
  if (GetParam() == Scheme::FourLane) packed = S(4), shared = U(4);
  if (GetParam() == Scheme::WeightAware)
    shared = Known(8, {std::vector<std::int64_t>(kTerms, -128)});
  const PackingPlan plan =
      packing::plan({.packed = packed, .shared = shared, .terms = kTerms}, GetParam());
  Evaluator evaluator(plan);
  for_extremes(plan, kTerms, [&](const Operands& operands) {
    ASSERT_EQ(evaluator.run(operands).results, dots(plan, operands)) << name_of(plan);
  });
  // Down for half of the terms and up again.
  for_extremes(plan, kTerms / 2, [&](const Operands& operands) {
    ASSERT_EQ(evaluator.run(operands).results, dots(plan, operands)) << name_of(plan);
  });
}

INSTANTIATE_TEST_SUITE_P(Schemes, LongSum,
                         ::testing::Values(Scheme::Wp487Int8Dsp, Scheme::Wp487Int8Lut,
                                           Scheme::Wp487Uint8Dsp, Scheme::Wp486Macc,
                                           Scheme::OffsetBinary, Scheme::SharedDrain,
                                           Scheme::WeightAware, Scheme::WrapCounter,
                                           Scheme::CarryLane, Scheme::CarryLaneDrain,
                                           Scheme::Canary, Scheme::FourLane, Scheme::Single),
                         [](const auto& test) {
                           std::string name = to_string(test.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(LongSum, FoldedInTime) {
  for (const Scheme scheme :
       {Scheme::SharedDrain, Scheme::CarryLaneDrain, Scheme::CarryLane, Scheme::WrapCounter,
        Scheme::OffsetBinary, Scheme::Wp487Int8Lut, Scheme::Canary}) {
    const PackingPlan plan =
        packing::plan({.packed = S(8), .shared = S(8), .terms = kTerms, .cycles = 1000}, scheme);
    EXPECT_LE(plan.cycles(), 1000);
    EXPECT_GE(plan.cycles(), 900) << name_of(plan);
    Evaluator evaluator(plan);
    for_extremes(plan, kTerms, [&](const Operands& operands) {
      ASSERT_EQ(evaluator.run(operands).results, dots(plan, operands)) << name_of(plan);
    });
  }
}

TEST(Columns, AreBrokenAndReenteredThroughC) {
  for (const int height : {2, 5, 7, 12, 24, 95})
    for (const auto& plan : enumerate(
             {.packed = S(8), .shared = S(8), .terms = 200, .limits = {.column_height = height}})) {
      int longest = 0;
      std::vector<int> run;
      for (const auto& slice : plan.slices) {
        run.push_back(slice.cascade >= 0 ? run[slice.cascade] + 1 : 1);
        longest = std::max(longest, run.back());
      }
      EXPECT_LE(longest, height) << name_of(plan);
      expect_exact(plan, 5, 21);
    }
}

// Adders of their own stand in columns as well, whatever the height.
TEST(Columns, OfAdderSlices) {
  for (const int height : {2, 3, 5, 12, 24, 95}) {
    const PackingPlan plan = packing::plan(
        {.packed = S(8), .shared = S(8), .terms = 200, .limits = {.column_height = height}},
        Scheme::Wp487Int8Dsp);
    expect_exact(plan, 5, 21);
  }
}

}  // namespace packing_long_test
}  // namespace kumiki::gen::packing
