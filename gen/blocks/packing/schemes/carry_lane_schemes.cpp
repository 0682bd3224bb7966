// SPDX-License-Identifier: Apache-2.0
// carry-lane: 2.0 MACs a slice; outside the slices, a whole dot product needs only an increment of
// a few bits. carry-lane-drain: the SIMD slice that adds (and accumulates) such chains also takes
// their carries, one chain a slice: 512 MACs in 257 slices and no LUT.
#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/carry_lane.h"
#include "gen/blocks/packing/schemes/drain.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {
namespace {

using carry_lane::Schedule;

// Chains of equal length, the last one shorter; refused if not even a few terms have a schedule.
std::optional<Schedule> plan_chains(Draft& draft) {
  PackingPlan& plan = draft.plan;
  const Request& request = draft.request();
  if (!plan.limits.w_multiplexer)
    draft.refuse(code::not_on_family, "W = C on " + plan.limits.family, "carry-looks");
  if (!draft.lay_out(grid_of(request, 2, 1))) return {};
  if (plan.lanes.size() != 2)
    draft.refuse(code::scheme_does_not_apply, "lanes", "a pair sharing one operand",
                 Interval::point(static_cast<Exact>(plan.lanes.size())), Interval::point(2));
  // A schedule is valid only if the words fit the ports.
  if (const Statement* broken = plan.certificate.first_broken())
    draft.refuse(code::not_proved, *broken);
  if (draft.is_refused()) return {};
  const std::int64_t most =
      carry_lane::capacity(plan, plan.terms_per_cycle, request.tuning.look_period);
  const std::int64_t wished = request.tuning.segment.value_or(static_cast<int>(most));
  if (most < 1 || wished > most)
    draft.refuse(code::out_of_range, "terms a chain",
                 most < 1 ? "a wider guard or narrower operands"
                          : fmt::format("at most {} terms a chain", most),
                 Interval::point(wished), {1, most});
  if (draft.is_refused()) return {};
  const std::int64_t chains = ceil_div(plan.terms_per_cycle, wished);
  plan.segment = ceil_div(plan.terms_per_cycle, chains);
  plan.segments = chains;
  auto schedule = carry_lane::schedule(plan, plan.segment, request.tuning.look_period);
  if (!schedule)
    draft.refuse(code::out_of_range, "terms a chain", "another number of terms",
                 Interval::point(plan.segment), {1, most});
  return schedule;
}

// The fields for the two results, from the word at the end of a chain.
struct Words {
  std::vector<Signal> low;
  std::vector<Signal> high;
  Exact low_constant = 0;
  Exact high_constant = 0;
};

Words read(const Draft& draft, const Schedule& s, int slice) {
  const PackingPlan& plan = draft.plan;
  const Lane& low = plan.lanes[0];
  const Lane& high = plan.lanes[1];
  Words words;
  words.high = {draft.field(slice, high, high.term * s.terms)};
  words.high_constant = draft.field_constant(high);
  if (s.looks.empty()) {
    words.low = {draft.field(slice, low, {})};
    words.low_constant = draft.field_constant(low);
    return words;
  }
  // {carries, low bits} is a word by wires. The top bit of the low lane, which no slice has moved,
  // is an increment.
  const Lane& carries = plan.lanes[2];
  const auto weight = static_cast<std::int64_t>(power_of_two(low.width - 1));
  words.low = {{.slice = slice, .width = low.width - 1},
               {.coefficient = weight,
                .slice = slice,
                .lsb = carries.offset,
                .width = carries.width,
                .is_signed = true},
               {.coefficient = weight, .slice = slice, .lsb = low.width - 1, .width = 1}};
  words.low_constant = -s.rest;
  return words;
}

// The chains, with terms spread evenly: their lengths differ by at most one.
template <typename Use>
void for_chains(const PackingPlan& plan, Use use) {
  const std::int64_t longer = plan.terms_per_cycle - (plan.segment - 1) * plan.segments;
  std::int64_t first = 0;
  for (std::int64_t k = 0; k < plan.segments; ++k) {
    const std::int64_t count = plan.segment - (k < longer ? 0 : 1);
    use(k, first, count);
    first += count;
  }
}

}  // namespace

Planned carry_lane(const Request& request) {
  Draft draft(request, Scheme::CarryLane);
  PackingPlan& plan = draft.plan;
  draft.fold_in_fabric();
  const auto schedule = plan_chains(draft);
  if (!schedule) return draft.finish();
  carry_lane::apply(draft, *schedule);
  plan.separation = Separation::CarryLane;
  plan.drain = plan.segments * plan.rounds > 1 ? Drain::Lut : Drain::None;
  std::vector<Signal> lows;
  std::vector<Signal> highs;
  Exact low_constant = 0;
  Exact high_constant = 0;
  for_chains(plan, [&](std::int64_t, std::int64_t first, std::int64_t count) {
    const Words words =
        read(draft, *schedule, carry_lane::add_chain(draft, *schedule, first, count, 0));
    lows.insert(lows.end(), words.low.begin(), words.low.end());
    highs.insert(highs.end(), words.high.begin(), words.high.end());
    low_constant += words.low_constant * plan.rounds;
    high_constant += words.high_constant * plan.rounds;
  });
  const Lane low = plan.lanes[0];
  const Lane high = plan.lanes[1];
  draft.add_result(low, lows, low_constant);
  draft.add_result(high, highs, high_constant);
  return draft.finish();
}

Planned carry_lane_drain(const Request& request) {
  Draft draft(request, Scheme::CarryLaneDrain);
  PackingPlan& plan = draft.plan;
  draft.fold_in_slices();
  const auto planned = plan_chains(draft);
  if (!planned) return draft.finish();
  const Schedule& schedule = *planned;
  const DrainPlan drain = plan_drain(draft, plan.segments, 1);
  carry_lane::apply(draft, schedule);
  plan.separation = Separation::CarryLane;
  std::vector<std::vector<DrainFeed>> feeds;
  for_chains(plan, [&](std::int64_t k, std::int64_t first, std::int64_t count) {
    const int start = drain.stage_delay(k, plan.limits.column_height);
    const int last = carry_lane::add_chain(draft, schedule, first, count, start);
    const auto feed = [&](const Lane& lane) {
      return DrainFeed{
          .field = {
              .slice = last, .lsb = lane.offset, .width = lane.width, .is_signed = lane.is_signed}};
    };
    DrainFeed low = feed(plan.lanes[0]);
    if (!schedule.looks.empty()) {
      low.extra = feed(plan.lanes[2]).field;
      low.extra_shift = plan.lanes[0].width - 1;
    }
    feeds.push_back({low, feed(plan.lanes[1])});
  });
  const Exact count = plan.segments * plan.words;
  const std::vector<Exact> constants{
      -(schedule.looks.empty() ? schedule.first_bias : schedule.rest) * count,
      -plan.lanes[1].bias * count};
  // Only the two lanes of products are results.
  const std::vector<Lane> lanes = plan.lanes;
  plan.lanes.resize(2);
  add_drain(draft, drain, feeds, constants);
  plan.lanes = lanes;
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
