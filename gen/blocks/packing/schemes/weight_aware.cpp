// SPDX-License-Identifier: Apache-2.0
// T3 of docs/decisions/packing-theorems.md: known weights allow longer chains, such as the kernels
// of filters, which never split. A weight that is 0 in every lane takes no slice.
#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/draft.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {
namespace {

Interval product(const PackingPlan& plan, const Lane& lane, std::int64_t term) {
  return (plan.packed.interval(lane.packed, term) - plan.centres.packed[lane.packed]) *
         (plan.shared.interval(lane.shared, term) - plan.centres.shared[lane.shared]);
}

// The sum of every lane after the terms of a chain.
std::vector<Interval> sums(const PackingPlan& plan, const std::vector<std::int64_t>& terms) {
  std::vector<Interval> all(plan.lanes.size());
  for (std::size_t l = 0; l < all.size(); ++l)
    for (const std::int64_t t : terms) all[l] = all[l] + product(plan, plan.lanes[l], t);
  return all;
}

bool fits(const PackingPlan& plan, const std::vector<Interval>& sum) {
  for (std::size_t l = 0; l < sum.size(); ++l) {
    const Lane& lane = plan.lanes[l];
    const bool top = l + 1 == sum.size();
    if (top ? !sum[l].within(signed_range(lane.width))
            : sum[l].span() > power_of_two(lane.width) - 1)
      return false;
  }
  return true;
}

// With a centre every term takes its slice. A weight of 0 is multiplied as another value. A weight
// that is multiplied as 0 still counts in the sum of the other operand.
bool is_left_out(const PackingPlan& plan, std::int64_t term) {
  const bool shared = plan.shared.known();
  const auto& weights = shared ? plan.shared.values : plan.packed.values;
  const auto& centres = shared ? plan.centres.shared : plan.centres.packed;
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (weights[k][term] != 0 || centres[k] != 0) return false;
  return true;
}

// Greedy: a term joins the chain while everything still fits. A fixed segment overrides the sums.
std::vector<std::vector<std::int64_t>> cut(const PackingPlan& plan, std::optional<int> fixed) {
  std::vector<std::vector<std::int64_t>> chains;
  std::vector<Interval> sum;
  for (std::int64_t t = 0; t < plan.terms; ++t) {
    if (is_left_out(plan, t)) continue;
    auto longer = sum;
    for (std::size_t l = 0; l < longer.size(); ++l)
      longer[l] = longer[l] + product(plan, plan.lanes[l], t);
    const bool joins = !chains.empty() && (fixed ? static_cast<int>(chains.back().size()) < *fixed
                                                 : fits(plan, longer));
    if (!joins) {
      chains.emplace_back();
      longer = sums(plan, {t});
    }
    chains.back().push_back(t);
    sum = longer;
  }
  // All weights are 0: keep one slice for a result of 0.
  if (chains.empty()) chains.push_back({0});
  return chains;
}

}  // namespace

Planned weight_aware(const Request& request) {
  Draft draft(request, Scheme::WeightAware);
  PackingPlan& plan = draft.plan;
  if (!plan.shared.known() && !plan.packed.known())
    draft.refuse(code::scheme_does_not_apply, "weights that are not known",
                 "known values on one side, or offset-binary");
  if (request.cycles.value_or(1) != 1)
    draft.refuse(code::scheme_does_not_apply, "cycles of a result",
                 "1, or shared-drain, which folds terms in time", Interval::point(*request.cycles),
                 Interval::point(1));
  if (!draft.lay_out(grid_of(request, 2, 1))) return draft.finish();
  plan.separation = Separation::Wires;
  const auto chains = cut(plan, request.tuning.segment);
  plan.segments = static_cast<std::int64_t>(chains.size());
  for (const auto& terms : chains)
    plan.segment = std::max(plan.segment, static_cast<std::int64_t>(terms.size()));
  plan.drain = plan.segments > 1 ? Drain::Lut : Drain::None;

  std::vector<std::vector<Signal>> fields(plan.lanes.size());
  std::vector<Exact> constants(plan.lanes.size(), 0);
  for (const auto& terms : chains) {
    const auto sum = sums(plan, terms);
    for (std::size_t l = 0; l < sum.size(); ++l) {
      Lane& lane = plan.lanes[l];
      const auto name =
          fmt::format("lane at {} after terms {} to {}", lane.offset, terms.front(), terms.back());
      if (l + 1 == sum.size()) {
        draft.proof().within(name, sum[l], signed_range(lane.width), "shorter chains");
        continue;
      }
      const Exact middle = power_of_two(lane.width - 1);
      lane.is_signed = false;
      lane.bias = (sum[l] + middle).within(unsigned_range(lane.width)) ? middle : -sum[l].lo;
      draft.proof().within(
          fmt::format("{}, R = {}", name, to_string(lane.bias)), sum[l] + lane.bias,
          unsigned_range(lane.width),
          fmt::format("a span of {} a chain", to_string(power_of_two(lane.width) - 1)));
    }
    const int start = chain_cycles(plan, plan.segment) -
                      chain_cycles(plan, static_cast<std::int64_t>(terms.size()));
    const int last = draft.add_chain({.start = start, .rnd = draft.bias_word(), .terms = terms});
    for (std::size_t l = 0; l < sum.size(); ++l) {
      fields[l].push_back(draft.field(last, plan.lanes[l], sum[l]));
      constants[l] += draft.field_constant(plan.lanes[l]);
    }
  }
  for (std::size_t l = 0; l < plan.lanes.size(); ++l)
    draft.add_result(plan.lanes[l], fields[l], constants[l]);
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
