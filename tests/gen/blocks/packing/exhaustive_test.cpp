// SPDX-License-Identifier: Apache-2.0
// Small operands in tight lanes: every plan, every value of every operand in every term.
#include <fmt/format.h>

#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_exhaustive_test {

// Counts through all operand sets of a plan; returns how many there were, 0 when they are too many.
std::int64_t run_all(const PackingPlan& plan, std::int64_t most) {
  struct Digit {
    std::int64_t* value;
    std::int64_t lo, hi;
  };
  Operands operands;
  std::vector<Digit> digits;
  const auto add = [&](const OperandFormat& format, int count, auto& rows) {
    rows.assign(static_cast<std::size_t>(count),
                std::vector<std::int64_t>(static_cast<std::size_t>(plan.terms)));
    const Interval range = format.interval();
    for (auto& row : rows)
      for (auto& value : row) {
        value = low(range);
        digits.push_back({&value, low(range), high(range)});
      }
  };
  add(plan.packed, plan.packed_count, operands.packed);
  add(plan.shared, plan.shared_count, operands.shared);
  double sets = 1;
  for (const auto& digit : digits) sets *= static_cast<double>(digit.hi - digit.lo + 1);
  if (sets > static_cast<double>(most)) return 0;

  Evaluator evaluator(plan);
  std::int64_t count = 0;
  for (;;) {
    const auto& results = evaluator.run(operands).results;
    const auto expected = dots(plan, operands);
    if (results != expected) {
      ADD_FAILURE() << name_of(plan) << ": " << ::testing::PrintToString(results) << " for "
                    << ::testing::PrintToString(expected) << "\n"
                    << to_text(plan);
      return count;
    }
    ++count;
    std::size_t k = 0;
    while (k < digits.size() && *digits[k].value == digits[k].hi)
      *digits[k].value = digits[k].lo, ++k;
    if (k == digits.size()) return count;
    ++*digits[k].value;
  }
}

struct Sets {
  std::int64_t plans = 0;
  std::int64_t sets = 0;
};

Sets run_formats(const OperandFormat& packed, const OperandFormat& shared, std::int64_t most) {
  Sets all;
  for (int guard = std::max(packed.bits, shared.bits); guard <= packed.bits + shared.bits + 2;
       ++guard)
    for (std::int64_t terms = 1; terms <= 4; ++terms)
      for (const bool folded : {false, true}) {
        Request request{
            .packed = packed, .shared = shared, .terms = terms, .tuning = {.guard = guard}};
        if (folded) request.cycles = (terms + 1) / 2;
        for (const auto& plan : enumerate(request)) {
          const std::int64_t sets = run_all(plan, most);
          all.plans += sets > 0 ? 1 : 0;
          all.sets += sets;
        }
      }
  return all;
}

class Exhaustive : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Exhaustive, EveryOperandOfEveryPlan) {
  const auto [p, s] = GetParam();
  Sets all;
  for (const bool packed_signed : {true, false})
    for (const bool shared_signed : {true, false}) {
      const Sets sets = run_formats(packed_signed ? S(p) : U(p), shared_signed ? S(s) : U(s), 5000);
      all.plans += sets.plans;
      all.sets += sets.sets;
    }
  EXPECT_GT(all.plans, 40);
  EXPECT_GT(all.sets, 20000);
  RecordProperty("plans", std::to_string(all.plans));
  RecordProperty("operand_sets", std::to_string(all.sets));
}

INSTANTIATE_TEST_SUITE_P(Widths, Exhaustive,
                         ::testing::Combine(::testing::Range(1, 5), ::testing::Range(1, 5)),
                         [](const auto& test) {
                           return fmt::format("{}x{}", std::get<0>(test.param),
                                              std::get<1>(test.param));
                         });

// Fewer plans, many more operands.
TEST(ExhaustiveDeep, PairsOf3BitsOverTwoTerms) {
  for (const Scheme scheme : {Scheme::OffsetBinary, Scheme::Wp487Int8Lut, Scheme::WrapCounter}) {
    Request request{.packed = S(3), .shared = S(3), .terms = 2, .tuning = {.guard = 6}};
    EXPECT_EQ(run_all(plan(request, scheme), 1 << 18), 1 << 18);
  }
}

// Chains of every length that goes into three terms, with carries of one to three bits: every carry
// from below meets every product.
TEST(ExhaustiveDeep, CanaryOfEveryChain) {
  std::map<int, int> plans;  // by the bits of its widest canary
  for (const auto& [packed, shared] : {std::pair{S(2), U(2)}, std::pair{U(2), S(2)}})
    for (int spacing = 2; spacing <= 3; ++spacing)
      for (int segment = 1; segment <= 3; ++segment)
        for (const std::int64_t cycles : {1, 2}) {
          const Request request{
              .packed = packed,
              .shared = shared,
              .terms = 3,
              .cycles = cycles,
              .tuning = {
                  .guard = spacing, .segment = segment, .packed_count = 2, .shared_count = 1}};
          const PackingPlan plan = draft(request, Scheme::Canary);
          if (!plan.certificate.holds()) continue;
          EXPECT_EQ(run_all(plan, 1 << 18), 1 << 18) << name_of(plan);
          int canary = 0;
          for (const auto& lane : plan.lanes) canary = std::max(canary, lane.canary);
          ++plans[canary];
        }
  for (const int bits : {1, 2, 3}) EXPECT_GT(plans[bits], 0) << bits;
}

}  // namespace packing_exhaustive_test
}  // namespace kumiki::gen::packing
