// SPDX-License-Identifier: Apache-2.0
// T1 of docs/decisions/packing-theorems.md: a chain starts from W = RND with R in every lane but
// the top one. So no lane ever goes below zero, and wires read the lanes. The condition limits the
// span of a product, N * (pmax - pmin) <= 2^G - 1, not its magnitude. T6 is the same with operands
// on both sides: four INT4 lanes at 0, 11, 22 and 33.
#include <fmt/format.h>

#include "gen/blocks/packing/schemes/offset.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing {
namespace offset {

void prove_chain(Draft& draft, std::int64_t terms) {
  const PackingPlan& plan = draft.plan;
  const std::string legal =
      at_most(offset_limit(plan.lanes), fmt::format("a chain at G = {}", plan.guard));
  for (const auto& lane : plan.lanes) {
    const bool top = &lane == &plan.lanes.back();
    const Interval sum = lane.term * terms + lane.bias;
    const auto name = plan.lanes.size() == 1
                          ? fmt::format("sum of {} terms", terms)
                          : fmt::format("lane at {} after {} terms", lane.offset, terms);
    if (top)
      draft.proof().within(name, sum, signed_range(lane.width), legal);
    else
      draft.proof().within(fmt::format("{}, R = {}", name, to_string(lane.bias)), sum,
                           unsigned_range(lane.width), legal);
  }
}

std::int64_t chain_length(const Draft& draft) {
  const std::int64_t limit = std::max<std::int64_t>(1, offset_limit(draft.plan.lanes));
  return std::min<std::int64_t>(draft.request().tuning.segment.value_or(static_cast<int>(limit)),
                                draft.plan.terms_per_cycle);
}

Planned chains_in_fabric(Draft draft, const Grid& grid) {
  draft.fold_in_fabric();
  if (!draft.lay_out(grid)) return draft.finish();
  PackingPlan& plan = draft.plan;
  plan.segment = chain_length(draft);
  plan.segments = ceil_div(plan.terms_per_cycle, plan.segment);
  plan.separation = Separation::Wires;
  plan.drain = plan.segments * plan.rounds > 1 ? Drain::Lut : Drain::None;
  set_biases(draft, plan.segment);
  prove_chain(draft, plan.segment);

  std::vector<std::vector<Signal>> fields(plan.lanes.size());
  draft.for_chains([&](std::int64_t first, std::int64_t count, int start) {
    const int last = draft.add_chain(
        {.first_term = first, .count = count, .start = start, .rnd = draft.bias_word()});
    for (std::size_t l = 0; l < plan.lanes.size(); ++l)
      fields[l].push_back(draft.field(last, plan.lanes[l], plan.lanes[l].term * count));
  });
  for (std::size_t l = 0; l < plan.lanes.size(); ++l)
    draft.add_result(plan.lanes[l], fields[l],
                     draft.field_constant(plan.lanes[l]) * plan.segments * plan.rounds);
  return draft.finish();
}

}  // namespace offset

namespace schemes {

Planned offset_binary(const Request& request) {
  return offset::chains_in_fabric(Draft(request, Scheme::OffsetBinary), grid_of(request, 2, 1));
}

Planned four_lane(const Request& request) {
  return offset::chains_in_fabric(Draft(request, Scheme::FourLane), grid_of(request, 2, 2));
}

Planned single(const Request& request) {
  return offset::chains_in_fabric(Draft(request, Scheme::Single), {.packed = 1, .shared = 1});
}

std::vector<Request> grid_variants(const Request& request) {
  std::vector<Request> all;
  const Tuning& t = request.tuning;
  for (int n = 1; n <= 13; ++n)
    for (int m = 2; m <= 9; ++m) {
      if (t.packed_count.value_or(n) != n || t.shared_count.value_or(m) != m || n * m > 18 ||
          !rows_fit(request, n, m))
        continue;
      Request one = request;
      one.tuning.packed_count = n;
      one.tuning.shared_count = m;
      if (!t.guard && largest_spacing(one, grid_of(one, n, m)) == 0 && n * m > 4) continue;
      all.push_back(one);
    }
  // The 2 x 2 grid of T6 comes first, because the message shows the refusal of the first grid.
  std::stable_partition(all.begin(), all.end(), [](const Request& r) {
    return r.tuning.packed_count == 2 && r.tuning.shared_count == 2;
  });
  return all.empty() ? std::vector<Request>{request} : all;
}

}  // namespace schemes
}  // namespace kumiki::gen::packing
