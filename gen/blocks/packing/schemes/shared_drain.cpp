// SPDX-License-Identifier: Apache-2.0
// T2 of docs/decisions/packing-theorems.md: one SIMD slice adds the biased words of two chains and
// accumulates them over the cycles of a result. Its RND subtracts every bias in the load cycle. It
// needs no LUT.
#include <fmt/format.h>

#include "gen/blocks/packing/schemes/drain.h"
#include "gen/blocks/packing/schemes/offset.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {

namespace {

// Always pairs; also grids of more lanes if a chain holds at least two terms (four INT4 lanes).
std::vector<Request> grids(const Request& request) {
  const Tuning& t = request.tuning;
  std::vector<Request> all;
  for (const auto& [n, m] : {std::pair{2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}}) {
    if (t.packed_count.value_or(n) != n || t.shared_count.value_or(m) != m) continue;
    if (!rows_fit(request, n, m)) continue;
    Request one = request;
    one.tuning.packed_count = n;
    one.tuning.shared_count = m;
    if (n * m > 2) {
      if (largest_spacing(one, {.packed = n, .shared = m}) == 0) continue;
      Draft probe(one, Scheme::SharedDrain);
      const Grid grid = grid_of(one, n, m);
      if (!probe.lay_out(grid) || offset_limit(probe.plan.lanes) < 2) continue;
    }
    all.push_back(one);
  }
  return all.empty() ? std::vector<Request>{request} : all;
}

}  // namespace

std::vector<Request> drain_variants(const Request& request) {
  std::vector<Request> all;
  for (const Request& grid : grids(request))
    for (const Request& one : centred(grid))
      for (const int chains : {2, 1}) {
        if (request.tuning.chains_per_drain.value_or(chains) != chains) continue;
        all.push_back(one);
        all.back().tuning.chains_per_drain = chains;
      }
  return all.empty() ? std::vector<Request>{request} : all;
}

Planned shared_drain(const Request& request) {
  Draft draft(request, Scheme::SharedDrain);
  PackingPlan& plan = draft.plan;
  const int per_stage = request.tuning.chains_per_drain.value_or(2);
  if (per_stage < 1 || per_stage > 2)
    draft.refuse(code::out_of_range, "chains a drain", "1 or 2, one on C and one on A:B",
                 Interval::point(per_stage), {1, 2});
  draft.fold_in_slices();
  if (!draft.lay_out(grid_of(request, 2, 1))) return draft.finish();
  plan.segment = offset::chain_length(draft);
  plan.segments = ceil_div(plan.terms_per_cycle, plan.segment);
  plan.separation = Separation::Wires;
  set_biases(draft, plan.segment);
  offset::prove_chain(draft, plan.segment);

  const DrainPlan drain = plan_drain(draft, plan.segments, per_stage);
  std::vector<std::vector<DrainFeed>> feeds;
  draft.for_chains([&](std::int64_t first, std::int64_t count, int start) {
    const std::int64_t stage = std::ssize(feeds) / per_stage;
    const int last =
        draft.add_chain({.first_term = first,
                         .count = count,
                         .start = drain.stage_delay(stage, plan.limits.column_height) + start,
                         .rnd = draft.bias_word()});
    std::vector<DrainFeed> lanes;
    for (const auto& lane : plan.lanes) {
      Signal field{
          .slice = last, .lsb = lane.offset, .width = lane.width, .is_signed = lane.is_signed};
      lanes.push_back({.field = field});
    }
    feeds.push_back(std::move(lanes));
  });
  std::vector<Exact> constants;
  for (const auto& lane : plan.lanes) constants.push_back(-lane.bias * plan.segments * plan.words);
  add_drain(draft, drain, feeds, constants);
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
