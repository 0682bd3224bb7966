// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/add/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/graph/interpret.h"
#include "gen/layers/pipeline/machines/table.h"
#include "ir/arch.h"

namespace kumiki::gen::pipeline {
namespace {

std::int64_t lowest_of(const arith::Format& format) {
  return static_cast<std::int64_t>(format.range().lo);
}
std::int64_t highest_of(const arith::Format& format) {
  return static_cast<std::int64_t>(format.range().hi);
}

// f(a, b) for all numbers of both formats.
template <class F>
std::vector<std::int16_t> all_results(const AddPlan& p, const F& f) {
  std::vector<std::int16_t> all;
  for (std::int64_t a = lowest_of(p.a.format); a <= highest_of(p.a.format); ++a)
    for (std::int64_t b = lowest_of(p.b.format); b <= highest_of(p.b.format); ++b)
      all.push_back(static_cast<std::int16_t>(f(a, b)));
  return all;
}

// The pre-adder's sum is on the multiplier's B, or where the pre-adder adds no B on its A.
bool fits_one_slice(const AddPlan& p, const AddRule& rule, const packing::Limits& limits) {
  const auto single = rule.single();
  if (!single || !rule.moved.empty()) return false;
  const arith::Interval sum = arith::shifted(p.a.format.range(), single->shift_a) +
                              arith::shifted(p.b.format.range(), single->shift_b);
  if (!p.adds_on_a) return sum.within(arith::signed_range(limits.narrow_bits));
  return sum.within(arith::signed_range(limits.wide_bits)) &&
         arith::signed_range(limits.narrow_bits).contains(single->factor);
}

}  // namespace

arith::Interval AddPlan::unclamped() const {
  const std::int64_t moved = rule.moved.empty() ? 0 : rule.half();
  const arith::Interval u = a.format.range() * rule.factor_a + b.format.range() * rule.factor_b +
                            arith::Interval{rule.offset - moved, rule.offset + moved};
  const arith::Exact unit = arith::power_of_two(rule.shift);
  const arith::Exact lowest = arith::floor_div(u.lo, unit);
  const bool may_fall = rule.tie_bits && lowest % 2 != 0;
  return {may_fall ? lowest - 1 : lowest, arith::floor_div(u.hi, unit)};
}

bool AddPlan::clamps() const { return !unclamped().within({rule.lowest, rule.highest}); }

bool AddPlan::clamps_by_pattern() const {
  return clamps() && !rule.tie_bits && arith::Interval{rule.lowest, rule.highest} == format.range();
}

int AddPlan::stages() const {
  if (form == AddForm::luts) return 1;
  if (form == AddForm::memory) return 2;
  if (!clamps() || clamps_by_pattern()) return 3;
  return rule.tie_bits ? 5 : 4;
}

std::uint64_t AddPlan::index_of(std::uint64_t raw_a, std::uint64_t raw_b) const {
  const std::int64_t at_a = arith::value_of(raw_a, a.format) - lowest_of(a.format);
  const std::int64_t at_b = arith::value_of(raw_b, b.format) - lowest_of(b.format);
  return static_cast<std::uint64_t>(at_a) << b.format.bits | static_cast<std::uint64_t>(at_b);
}

std::int64_t AddPlan::slices() const {
  return form == AddForm::two_slices ? 2 * a.lanes : form == AddForm::one_slice ? a.lanes : 0;
}

std::string AddPlan::text() const {
  const std::string pairs =
      fmt::format("{} + {} bits in {} lanes", a.format.bits, b.format.bits, a.lanes);
  if (form == AddForm::luts) return pairs + ", a table in LUTs";
  if (form == AddForm::memory)
    return fmt::format("{}, no plane is equal: a block memory of {} x {} bits a lane", pairs,
                       results.size(), format.bits);
  return pairs + ": " + to_string(rule);
}

std::string AddPlan::module_name() const {
  return fmt::format("{}{}_{}_{}x{}", name, a.lanes, a.format.bits, b.format.bits, format.bits);
}

bool legal(const Stream& a, const Stream& b) {
  return b.with(a.format) == a && a.lanes >= 1 && a.format.bits + b.format.bits <= 16;
}

Pairs pairs_of(const graph::Graph& g, const graph::Node& node,
               const std::vector<arith::Interval>& reached) {
  const graph::Tensor &a = g.tensors[node.inputs[0]], &b = g.tensors[node.inputs[1]];
  const auto& table = std::get<graph::Add>(node.op).table;
  Pairs pairs{.a = reached[node.inputs[0]], .b = reached[node.inputs[1]], .results = {}};
  // Only a table needs the index of a pair; without a table the formats may have 32 bits.
  const auto in_table = [&](std::int64_t qa, std::int64_t qb) {
    const std::int64_t row = qa - lowest_of(a.format), column = qb - lowest_of(b.format);
    return table[static_cast<std::size_t>((row << b.format.bits) + column)];
  };
  for (auto qa = static_cast<std::int32_t>(static_cast<std::int64_t>(pairs.a.lo)); qa <= pairs.a.hi;
       ++qa)
    for (auto qb = static_cast<std::int32_t>(static_cast<std::int64_t>(pairs.b.lo));
         qb <= pairs.b.hi; ++qb)
      pairs.results.push_back(table.empty() ? static_cast<std::int16_t>(graph::added(
                                                  a, b, g.tensors[node.output], qa, qb))
                                            : in_table(qa, qb));
  return pairs;
}

AddPlan plan_add(const Stream& a, const Stream& b, const arith::Format& format, const Pairs& pairs,
                 const packing::Limits& limits) {
  AddPlan plan{.a = a, .b = b, .format = format, .form = {}, .rule = {}, .results = {}};
  plan.adds_on_a = !limits.preadds_b;
  const bool in_luts = a.format.bits + b.format.bits <= most_bits_in_luts;
  std::optional<AddRule> rule;
  if (!in_luts) rule = equal_rule(pairs, format.range(), limits.wide_bits - 1);
  if (!in_luts && !rule) {
    const auto [low, high] = std::ranges::minmax(pairs.results);
    rule = equal_rule(pairs, {low, high}, limits.wide_bits - 1);
  }
  if (rule) {
    plan.form = fits_one_slice(plan, *rule, limits) ? AddForm::one_slice : AddForm::two_slices;
    plan.rule = *rule;
    plan.results =
        all_results(plan, [&](std::int64_t qa, std::int64_t qb) { return rule->at(qa, qb); });
    return plan;
  }
  plan.form = in_luts ? AddForm::luts : AddForm::memory;
  // A pair that never occurs gets the result of the nearest pair that does.
  const auto place = [](std::int64_t q, const arith::Interval& range) {
    return static_cast<std::int64_t>(std::clamp<arith::Exact>(q, range.lo, range.hi) - range.lo);
  };
  const auto columns = static_cast<std::int64_t>(pairs.b.span()) + 1;
  plan.results = all_results(plan, [&](std::int64_t qa, std::int64_t qb) {
    return pairs
        .results[static_cast<std::size_t>(place(qa, pairs.a) * columns + place(qb, pairs.b))];
  });
  return plan;
}

Lanes beat(const AddPlan& p, std::int64_t k, const Taken& in) {
  const auto a = in.at(0, k), b = in.at(1, k);
  Lanes sums;
  for (std::size_t i = 0; i < a.size(); ++i)
    sums.push_back(arith::raw_of(p.results[p.index_of(a[i], b[i])], p.format));
  return sums;
}

}  // namespace kumiki::gen::pipeline
