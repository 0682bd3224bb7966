// SPDX-License-Identifier: Apache-2.0
// T5 of docs/decisions/packing-theorems.md: n x m products a slice in lanes that are narrower than
// a sum of products. A chain starts from a bias that keeps every lane at or above zero. Its lanes
// overflow into each other. The lowest v bits of a lane (the canary) and the low bits of the
// operands reveal the carry c from below:
//   lane l = field_l + 2^s * c_(l+1) - c_l - bias.
// The ranges give the possible carries of a chain; c is exact if 2^v is at least their number.
#include <fmt/format.h>

#include "gen/arith/chain_parts.h"
#include "gen/blocks/packing/hardware/fabric.h"
#include "gen/blocks/packing/schemes/draft.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {
namespace {

constexpr std::int64_t longest_chain = 8;  // the longest tried; longer chains need wider canaries

Exact bias_of(const PackingPlan& plan, std::size_t lane) {
  const bool top = lane + 1 == plan.lanes.size();
  return top ? 0 : -plan.lanes[lane].term.lo;
}

// For a lane over a chain. `whole`: its sum, including bias and carries from below. `below`: the
// carries from below.
struct Filled {
  Interval whole, below;
};

std::vector<Filled> filled(const PackingPlan& plan, std::int64_t count) {
  std::vector<Filled> all;
  Interval below;
  for (std::size_t l = 0; l < plan.lanes.size(); ++l) {
    const Lane& lane = plan.lanes[l];
    const Interval whole = (lane.term + bias_of(plan, l)) * count + below;
    all.push_back({whole, below});
    below = {floor_div(whole.lo, power_of_two(lane.width)),
             floor_div(whole.hi, power_of_two(lane.width))};
  }
  return all;
}

int canary_bits(const Filled& lane) { return bits_for_count(lane.below.span() + 1); }

// The canaries of the lanes of a grid over a chain; empty if the grid does not fit the ports.
std::optional<std::vector<int>> canaries(const PackingPlan& plan, std::int64_t count) {
  std::vector<int> all;
  const auto lanes = filled(plan, count);
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    all.push_back(canary_bits(lanes[l]));
    if (all.back() > std::min(max_carry_bits, plan.lanes[l].width)) return {};
  }
  if (!lanes.back().whole.within(signed_range(plan.lanes.back().width))) return {};
  return all;
}

// Among spacings with the same canaries, tries only the narrowest: it has fewer bits to add.
void try_spacings(const Request& request, int packed, int shared, std::vector<Request>& all) {
  const Tuning& t = request.tuning;
  const std::int64_t most =
      std::min<std::int64_t>({longest_chain, request.limits.column_height,
                              ceil_div(request.terms, request.cycles.value_or(1))});
  std::vector<std::pair<std::int64_t, std::vector<int>>> seen;
  const int lanes = packed * shared, widest = (kWordBits - 1) / (lanes - 1);
  for (int s = t.guard.value_or(1); s <= t.guard.value_or(widest); ++s) {
    if (s > widest) break;
    Draft probe(request, Scheme::Canary);
    const bool fits = probe.lay_out({.packed = packed, .shared = shared, .spacing = s});
    if (!fits || !probe.plan.certificate.holds()) continue;
    for (std::int64_t n = t.segment.value_or(1); n <= t.segment.value_or(static_cast<int>(most));
         ++n) {
      const auto v = canaries(probe.plan, n);
      if (!v) break;
      if (t.canary_bits && *std::ranges::max_element(*v) > *t.canary_bits) continue;
      if (std::ranges::find(seen, std::pair(n, *v)) != seen.end()) continue;
      seen.emplace_back(n, *v);
      all.push_back(request);
      Tuning& tuned = all.back().tuning;
      tuned.packed_count = packed;
      tuned.shared_count = shared;
      tuned.guard = s;
      tuned.segment = static_cast<int>(n);
    }
  }
}

Grid tuned_grid(const Request& request) {
  const Tuning& t = request.tuning;
  Grid grid{.packed = t.packed_count.value_or(2), .shared = t.shared_count.value_or(2)};
  grid.spacing = t.guard.value_or(
      std::max(request.shared.bits, request.packed.bits + request.shared.bits - 1));
  return grid;
}

// Proves that every carry can be determined and that the top lane stays in the word.
std::vector<Filled> prove(Draft& draft) {
  PackingPlan& plan = draft.plan;
  const auto lanes = filled(plan, plan.segment);
  const auto tuned = draft.request().tuning.canary_bits;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    Lane& lane = plan.lanes[l];
    const bool top = l + 1 == lanes.size();
    lane.bias = bias_of(plan, l) * plan.segment;
    lane.is_signed = top;
    if (l > 0 && lanes[l].below != Interval{}) {
      const int needed = canary_bits(lanes[l]);
      lane.canary = tuned.value_or(needed);
      draft.proof().at_most(
          fmt::format("different carries of {} terms into lane {}, told by {} bits", plan.segment,
                      l, lane.canary),
          lanes[l].below.span() + 1, power_of_two(lane.canary),
          fmt::format("a canary of {} bits", needed));
      draft.proof().at_most(fmt::format("canary bits of lane {}", l), lane.canary,
                            std::min(max_carry_bits, lane.width),
                            "a wider spacing, shorter chains or narrower operands");
    }
    const std::string name = fmt::format("lane at {} after {} terms", lane.offset, plan.segment);
    if (top)
      draft.proof().within(name, lanes[l].whole, signed_range(lane.width),
                           "shorter chains, fewer lanes or a narrower spacing");
    else
      draft.proof().at_most(fmt::format("0, and {}, R = {}", name, to_string(lane.bias)), 0,
                            lanes[l].whole.lo);
  }
  return lanes;
}

// -1: no carry enters the lane from below.
int add_carry_sum(Draft& draft, std::size_t lane, const Filled& filled) {
  PackingPlan& plan = draft.plan;
  if (lane == 0 || filled.below == Interval{}) return -1;
  const auto chains = static_cast<std::int64_t>(plan.chains.size());
  CarrySum sum{.lane = static_cast<int>(lane),
               .width = plan.lanes[lane].canary,
               .lowest = static_cast<std::int64_t>(filled.below.lo),
               .highest = static_cast<std::int64_t>(filled.below.hi),
               .bias = static_cast<std::int64_t>(bias_of(plan, lane))};
  sum.bits = std::max(1, bits_for_count((sum.highest - sum.lowest) * chains + 1));
  const Chain& chain = plan.chains.front();
  sum.ready = draft.cycle(chain.first + chain.count - 1) + carry_clocks(plan, sum);
  sum.cycle = sum.ready;
  if (chains > 1)
    sum.cycle += adder_levels(static_cast<int>(chains), 0) + arith::chain_clocks(sum.bits) - 1;
  plan.carry_sums.push_back(sum);
  return static_cast<int>(plan.carry_sums.size()) - 1;
}

// The fields of all chains form the first stage. The carries and everything else form the second,
// once they are valid.
void stage(Draft& draft, Result& result, int fields) {
  if (fields == 1 || fields == static_cast<int>(result.signals.size())) return;
  const PackingPlan& plan = draft.plan;
  Stage first{.count = fields};
  for (int k = 0; k < fields; ++k)
    first.ready = std::max(first.ready, draft.signal_cycle(result, result.signals[k]));
  const int clocks = arith::chain_clocks(result.bits) - 1;
  first.cycle = first.ready + adder_levels(fields, 0) + clocks;
  Stage second{.first = fields,
               .count = static_cast<int>(result.signals.size()) - fields,
               .ready = first.cycle};
  for (int k = fields; k < fields + second.count; ++k)
    second.ready = std::max(second.ready, draft.signal_cycle(result, result.signals[k]));
  const bool folded = plan.rounds > 1;
  const int words = 1 + second.count + (!folded && result.constant != 0 ? 1 : 0);
  second.cycle = second.ready + adder_levels(words, 0) + clocks + (folded ? 1 : 0);
  result.stages = {first, second};
}

// Among variants with equally many slices, keeps the one with the fewest LUTs, or with the shortest
// latency if the objective asks for that. The choice depends on one chain and its share of the
// sums, so a few dozen terms decide it.
std::vector<Request> worth_trying(const std::vector<Request>& all) {
  constexpr std::int64_t enough = 64;
  std::optional<std::pair<std::int64_t, std::int64_t>> least;
  const Request* best = nullptr;
  for (const Request& one : all) {
    Request few = one;
    const std::int64_t cycles = few.cycles.value_or(1);
    if (!few.packed.known() && !few.shared.known() && ceil_div(few.terms, cycles) > enough) {
      few.cycles = std::min<std::int64_t>(cycles, 2);
      few.terms = enough * *few.cycles;
    }
    const Planned plan = canary(few);
    if (!plan) continue;
    std::pair<std::int64_t, std::int64_t> needs{sites_of_fabric(*plan), plan->latency};
    if (one.objective == Objective::ShortestLatency) std::swap(needs.first, needs.second);
    if (!least || needs < *least) least = needs, best = &one;
  }
  return {best != nullptr ? *best : all.front()};
}

}  // namespace

std::vector<Request> canary_variants(const Request& request) {
  std::vector<Request> all;
  for_grids_of_most_lanes(
      request, all, [&](int packed, int shared) { try_spacings(request, packed, shared, all); });
  return all.empty() ? std::vector<Request>{request} : worth_trying(all);
}

Planned canary(const Request& request) {
  Draft draft(request, Scheme::Canary);
  PackingPlan& plan = draft.plan;
  draft.fold_in_fabric();
  if (!draft.lay_out(tuned_grid(request))) return draft.finish();
  plan.segment = std::min<std::int64_t>(
      {request.tuning.segment.value_or(1), plan.terms_per_cycle, plan.limits.column_height});
  plan.segments = ceil_div(plan.terms_per_cycle, plan.segment);
  plan.separation = Separation::Canary;
  plan.drain = plan.segments > 1 || plan.rounds > 1 ? Drain::Lut : Drain::None;
  const auto lanes = prove(draft);

  std::vector<std::vector<Signal>> signals(plan.lanes.size());
  draft.for_chains([&](std::int64_t first, std::int64_t count, int start) {
    const int last = draft.add_chain({.first_term = first,
                                      .count = count,
                                      .start = start,
                                      .rnd = draft.bias_word() / plan.segment * count});
    for (std::size_t l = 0; l < plan.lanes.size(); ++l) {
      const Lane& lane = plan.lanes[l];
      const Interval& whole = lanes[l].whole;
      const int needed = lane.is_signed  ? signed_bits(whole)
                         : whole.lo >= 0 ? std::max(1, bits_for_count(whole.hi + 1))
                                         : lane.width;
      signals[l].push_back({.slice = last,
                            .lsb = lane.offset,
                            .width = std::min(lane.width, needed),
                            .is_signed = lane.is_signed});
    }
  });
  std::vector<int> carries;
  for (std::size_t l = 0; l < plan.lanes.size(); ++l)
    carries.push_back(add_carry_sum(draft, l, lanes[l]));

  const std::int64_t chains = plan.segments * plan.rounds;
  for (std::size_t l = 0; l < plan.lanes.size(); ++l) {
    Exact constant = -bias_of(plan, l) * draft.computed_terms();
    const auto count = [&](std::size_t lane, Exact coefficient) {
      if (lane >= carries.size() || carries[lane] < 0) return;
      constant += coefficient * lanes[lane].below.lo * chains;
      signals[l].push_back({.kind = Signal::Kind::Carries,
                            .coefficient = static_cast<std::int64_t>(coefficient),
                            .carries = carries[lane]});
    };
    count(l, -1);
    count(l + 1, power_of_two(plan.lanes[l].width));
    stage(draft, draft.add_result(plan.lanes[l], signals[l], constant),
          static_cast<int>(plan.segments));
  }
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
