// SPDX-License-Identifier: Apache-2.0
// Operand sets for plans, and the plain dot products that they are compared with.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/blocks/packing/schemes/schemes.h"
#include "tests/gen/blocks/packing/check.h"
#include "tests/gen/blocks/packing/evaluate.h"

namespace kumiki::gen::packing {

inline OperandFormat S(int bits) { return {.bits = bits}; }
inline OperandFormat U(int bits) { return {.bits = bits, .is_signed = false}; }
inline OperandFormat Narrow(int bits) { return {.bits = bits, .narrow = true}; }
inline OperandFormat Known(int bits, std::vector<std::vector<std::int64_t>> values) {
  return {.bits = bits, .values = std::move(values)};
}

// The plan, or a thrown Refusal.
inline PackingPlan planned(const Planned& plan) {
  if (!plan) throw Refusal(plan.reason());
  check(*plan);
  return *plan;
}
inline PackingPlan plan(const Request& request, Scheme scheme) {
  return planned(best_plan(request, scheme));
}
// Exactly as tuned, proved or not: its certificate shows which statements fail.
inline PackingPlan draft(const Request& request, Scheme scheme) {
  return planned(entry_of(scheme).draft(request));
}

inline void PrintTo(const OperandFormat& format, std::ostream* out) { *out << to_string(format); }

inline std::vector<std::int64_t> dots(const PackingPlan& plan, const Operands& operands) {
  std::vector<std::int64_t> results;
  for (int j = 0; j < plan.shared_count; ++j)
    for (int i = 0; i < plan.packed_count; ++i) {
      std::int64_t sum = 0;
      for (std::int64_t t = 0; t < plan.terms; ++t)
        sum += operands.packed[i][t] * operands.shared[j][t];
      results.push_back(sum);
    }
  return results;
}

// Fills every operand of every term by `choose(legal range, side and index, term)`; known ones as
// they are.
using Choose = std::function<std::int64_t(const Interval&, OperandRef, std::int64_t)>;
inline Operands operands_of(const PackingPlan& plan, const Choose& choose) {
  Operands all;
  const auto fill = [&](const OperandFormat& format, Side side, int count, auto& rows) {
    const Interval open = format.known() ? Interval{} : format.interval();
    for (int k = 0; k < count; ++k) {
      rows.emplace_back();
      for (std::int64_t t = 0; t < plan.terms; ++t)
        rows.back().push_back(format.known() ? format.values[k][t] : choose(open, {side, k}, t));
    }
  };
  fill(plan.packed, Side::Packed, plan.packed_count, all.packed);
  fill(plan.shared, Side::Shared, plan.shared_count, all.shared);
  return all;
}

inline std::int64_t low(const Interval& range) { return static_cast<std::int64_t>(range.lo); }
inline std::int64_t high(const Interval& range) { return static_cast<std::int64_t>(range.hi); }

// Random values; with `corners` out of 8 of them from the ends of the range and around zero.
inline Operands random_operands(const PackingPlan& plan, std::mt19937_64& rng, unsigned corners) {
  return operands_of(plan, [&](const Interval& range, OperandRef, std::int64_t) {
    if (rng() % 8 < corners) {
      const std::int64_t ends[] = {low(range), high(range), low(range),     high(range),    0,
                                   -1,         1,           low(range) + 1, high(range) - 1};
      const std::int64_t value = ends[rng() % std::size(ends)];
      return range.contains(value) ? value : low(range);
    }
    const auto span = static_cast<std::uint64_t>(range.span()) + 1;
    return low(range) + static_cast<std::int64_t>(rng() % span);
  });
}

// Every operand at one end of its range in all terms, for every choice of ends; then the same with
// the ends exchanged after `turn` terms, which drives a lane to one side and back.
inline void for_extremes(const PackingPlan& plan, std::int64_t turn,
                         const std::function<void(const Operands&)>& use) {
  const int count = plan.packed_count + plan.shared_count;
  const int apart = plan.terms > 100 ? 4 : 6;  // beyond, operands share their ends
  const unsigned choices = 1u << std::min(count, apart);
  for (unsigned ends = 0; ends < choices; ++ends)
    for (const bool back : {false, true}) {
      if (back && turn >= plan.terms) continue;
      use(operands_of(plan, [&](const Interval& range, OperandRef ref, std::int64_t t) {
        const int index = ref.side == Side::Packed ? ref.index : plan.packed_count + ref.index;
        bool top = (ends >> (index % apart) & 1) != 0;
        // Exchanging the packed operands alone turns the sign of every product.
        if (back && t >= turn && ref.side == Side::Packed) top = !top;
        return top ? high(range) : low(range);
      }));
    }
}

inline std::string name_of(const PackingPlan& plan) {
  return to_string(plan.scheme) + " " + to_string(plan.packed) + " x " + to_string(plan.shared) +
         ", " + std::to_string(plan.terms) + " terms, G = " + std::to_string(plan.guard) +
         ", N = " + std::to_string(plan.segment);
}

// The packed arithmetic gives the dot products for random, corner and worst-run operands.
inline void expect_exact(const PackingPlan& plan, int sets, std::uint64_t seed) {
  check(plan);
  Evaluator evaluator(plan);
  const auto agree = [&](const Operands& operands) {
    ASSERT_EQ(evaluator.run(operands).results, dots(plan, operands)) << name_of(plan);
  };
  for_extremes(plan, plan.terms, agree);
  for (const std::int64_t turn : {plan.terms / 2, plan.segment, plan.terms - 1})
    if (turn > 0 && !::testing::Test::HasFatalFailure()) for_extremes(plan, turn, agree);
  std::mt19937_64 rng(seed);
  for (int k = 0; k < sets && !::testing::Test::HasFatalFailure(); ++k)
    agree(random_operands(plan, rng, static_cast<unsigned>(k % 9)));
}

// A set of operands that the plan gets wrong, if one of many tries finds it.
inline std::optional<Operands> counterexample(const PackingPlan& plan, int sets,
                                              std::uint64_t seed) {
  Evaluator evaluator(plan);
  std::optional<Operands> found;
  const auto look = [&](const Operands& operands) {
    if (!found && evaluator.run(operands).results != dots(plan, operands)) found = operands;
  };
  for_extremes(plan, plan.terms, look);
  for (std::int64_t turn = 1; turn < std::min<std::int64_t>(plan.terms, 64) && !found; ++turn)
    for_extremes(plan, turn, look);
  std::mt19937_64 rng(seed);
  for (int k = 0; k < sets && !found; ++k)
    look(random_operands(plan, rng, static_cast<unsigned>(k % 9)));
  return found;
}

}  // namespace kumiki::gen::packing
