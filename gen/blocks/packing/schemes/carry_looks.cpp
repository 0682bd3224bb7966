// SPDX-License-Identifier: Apache-2.0
// T8 of docs/decisions/packing-theorems.md: one chain for all terms, whose lanes overflow into each
// other. LUTs look at the top bits of a lane every few slices and count its wraps; the count is the
// carry into the lane above:
//   lane l = field_l + 2^w * c_(l+1) - c_l.
// A lane moves up and down. If an amount m were added between two looks, it would move up only, and
// m is a multiple of what the watched bits tell apart. So it is added to these bits alone.
#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/draft.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {
namespace {

int watched(const Lane& lane) { return std::min(watched_bits, lane.width); }

// What the watched bits tell apart.
Exact unit_of(const Lane& lane) { return power_of_two(lane.width - watched(lane)); }

// By how much a lane and the carries into it move over so many terms.
Interval movement(const PackingPlan& plan, std::size_t lane, std::int64_t terms) {
  const Interval own = plan.lanes[lane].term * terms;
  if (lane == 0) return own;
  const Interval below = movement(plan, lane - 1, terms);
  const Exact wrap = power_of_two(plan.lanes[lane - 1].width);
  return own + Interval{floor_div(below.lo, wrap), -floor_div(-below.hi, wrap)};
}

// The fewest units that turn every movement over so many terms into one upwards; if the watched
// bits then see every wrap.
std::optional<int> units_up(const PackingPlan& plan, std::size_t l, std::int64_t terms) {
  const Lane& lane = plan.lanes[l];
  const Interval moved = movement(plan, l, terms);
  const Exact unit = unit_of(lane), up = -floor_div(moved.lo, unit);
  if (moved.hi + up * unit > power_of_two(lane.width) - unit) return {};
  return static_cast<int>(up);
}

// The most terms between two looks; 0: not even one.
std::int64_t longest_period(const PackingPlan& plan, std::size_t lane) {
  std::int64_t terms = 0;
  while (terms < plan.terms_per_cycle && units_up(plan, lane, terms + 1)) ++terms;
  return terms;
}

// Looks at the lane along the chain; returns the carries into the lane above.
CarrySum looks_at(const PackingPlan& plan, std::size_t l, std::int64_t period, int units) {
  const Lane& lane = plan.lanes[l];
  const Chain& chain = plan.chains.front();
  const int modulus = 1 << watched(lane), count = static_cast<int>(ceil_div(chain.count, period));
  // At the last look all that was added is a multiple of the lane.
  const int start = (modulus - count * units % modulus) % modulus;
  CarrySum sum{.lane = static_cast<int>(l) + 1, .width = watched(lane)};
  for (int k = 0; k < count; ++k)
    sum.looks.push_back(
        {.slice = chain.first + chain.count - 1 - (count - 1 - k) * static_cast<int>(period),
         .before = k == 0 ? -1 : sum.looks.back().slice,
         .added = (start + (k + 1) * units) % modulus,
         .added_before = (start + k * units) % modulus});
  sum.lowest = -(start + count * units) / modulus;
  sum.highest = sum.lowest + count;
  sum.bits = signed_bits({sum.lowest, sum.highest});
  // A look and its count have a register each.
  sum.ready = sum.cycle = plan.slices[sum.looks.back().slice].cycle + 2;
  return sum;
}

}  // namespace

// The grids of the most lanes, with the widest spacing that leaves room for the top lane.
std::vector<Request> look_variants(const Request& request) {
  const std::optional<int> spacing_given = request.tuning.guard;
  std::vector<Request> all;
  for_grids_of_most_lanes(request, all, [&](int packed, int shared) {
    for (Request one : centred(request)) {
      one.tuning.packed_count = packed;
      one.tuning.shared_count = shared;
      const int widest = spacing_given.value_or(
          largest_spacing(one, {.packed = packed,
                                .shared = shared,
                                .centre_packed = one.tuning.centre_packed.value_or(false),
                                .centre_shared = one.tuning.centre_shared.value_or(false)}));
      for (int spacing = widest; spacing >= spacing_given.value_or(1); --spacing) {
        one.tuning.guard = spacing;
        const Planned made = carry_looks(one);
        if (!made) continue;
        if (made->certificate.holds()) all.push_back(one);
        if (made->certificate.holds() || made->lanes.back().offset == 0) break;
      }
    }
  });
  return all.empty() ? std::vector<Request>{request} : all;
}

Planned carry_looks(const Request& request) {
  Draft draft(request, Scheme::CarryLooks);
  PackingPlan& plan = draft.plan;
  draft.fold_in_fabric();
  if (!draft.lay_out(grid_of(request, 2, 1))) return draft.finish();
  if (plan.lanes.size() < 2)
    draft.refuse(code::scheme_does_not_apply, "lanes", "at least two operands in a slice",
                 Interval::point(static_cast<Exact>(plan.lanes.size())), {2, most_lanes});
  plan.segment = plan.terms_per_cycle;
  plan.separation = Separation::Looks;
  plan.drain = plan.rounds > 1 ? Drain::Lut : Drain::None;
  const int last = draft.add_chain({.count = plan.terms_per_cycle});

  const std::size_t top = plan.lanes.size() - 1;
  for (std::size_t l = 0; l < top; ++l) {
    Lane& lane = plan.lanes[l];
    lane.is_signed = false;
    const std::int64_t longest = std::max<std::int64_t>(1, longest_period(plan, l)),
                       period = std::min<std::int64_t>(
                           request.tuning.look_period.value_or(static_cast<int>(longest)),
                           plan.terms_per_cycle);
    const Interval moved = movement(plan, l, period);
    const Exact unit = unit_of(lane), up = -floor_div(moved.lo, unit) * unit;
    draft.proof().within(
        fmt::format("lane at {} from look to look, {} terms and {}", lane.offset, period,
                    to_string(up)),
        moved + up, {0, power_of_two(lane.width) - unit},
        at_most(longest_period(plan, l), fmt::format("between looks at G = {}", plan.guard)));
    plan.carry_sums.push_back(looks_at(plan, l, period, static_cast<int>(up / unit)));
  }
  const Interval whole = movement(plan, top, plan.terms_per_cycle);
  draft.proof().within(
      fmt::format("lane at {} after {} terms", plan.lanes[top].offset, plan.terms_per_cycle), whole,
      signed_range(plan.lanes[top].width), "fewer terms a cycle or a narrower spacing");

  for (std::size_t l = 0; l <= top; ++l) {
    const Lane& lane = plan.lanes[l];
    const int width = l == top ? std::min(lane.width, signed_bits(whole)) : lane.width;
    std::vector<Signal> signals{
        {.slice = last, .lsb = lane.offset, .width = width, .is_signed = l == top}};
    const auto carries = [&](std::size_t sum, Exact coefficient) {
      signals.push_back({.kind = Signal::Kind::Carries,
                         .coefficient = static_cast<std::int64_t>(coefficient),
                         .carries = static_cast<int>(sum)});
    };
    if (l < top) carries(l, power_of_two(lane.width));
    if (l > 0) carries(l - 1, -1);
    draft.add_result(lane, signals, 0);
  }
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
