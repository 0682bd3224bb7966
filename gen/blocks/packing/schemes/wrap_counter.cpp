// SPDX-License-Identifier: Apache-2.0
// T4 of docs/decisions/packing-theorems.md: the last slice of a chain accumulates, and counters
// count the wraps of its lanes.
//
// The bias B = -L*pmin, added in every cycle, makes a lane move upwards only. Then "now < before"
// on the top w bits of a lane is exactly a wrap, if the lane moves by at most 2^G - 2^(G-w) in a
// cycle. w = 3 is one LUT6 and allows L = 7 at G = 18. The first form of T4, which counts both
// directions, allows 4.
//
// If the lanes hold the sum of all terms, R at the load is enough, and wires read the lanes.
#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/draft.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {
namespace {

constexpr std::int64_t kOpenChain = 16;  // slices of a chain if the request gives no length
constexpr int kWatchBits = 3;            // before and now: the six inputs of one LUT

// A lane narrower than the watched bits is watched whole.
int watched(const Lane& lane, int watch) { return std::min(watch, lane.width); }

Exact step_room(const Lane& lane, int watch) {
  return power_of_two(lane.width) - power_of_two(lane.width - watched(lane, watch));
}

// The most terms a cycle for which the watched bits detect every wrap of a counted lane.
std::int64_t step_limit(const PackingPlan& plan, int watch) {
  std::int64_t limit = plan.terms;
  for (std::size_t l = 0; l + 1 < plan.lanes.size(); ++l)
    if (plan.lanes[l].term.span() > 0)
      limit = std::min(limit, static_cast<std::int64_t>(step_room(plan.lanes[l], watch) /
                                                        plan.lanes[l].term.span()));
  return std::max<std::int64_t>(1, limit);
}

struct Biases {
  Exact load = 0;   // by the accumulating slice, once
  Exact cycle = 0;  // by the first slice, in every cycle
};

// The slices of one chain; the last one accumulates. With L = 1 it is also the first.
int add_chain(Draft& draft, std::int64_t first, std::int64_t count, int start,
              const Biases& biases) {
  return draft.add_chain(
      {.first_term = first,
       .count = count,
       .start = start,
       .rnd = biases.cycle,
       .change = [&](int i, Slice&, SliceKind& kind) {
         if (i + 1 < count) return;
         const bool alone = i == 0;
         const auto op = [](Opmode::W w, Opmode::Z z) { return Opmode::of(w, z, Opmode::M); };
         kind.name = "accumulate";
         kind.load = kind.run = op(Opmode::W0, alone ? Opmode::Z0 : Opmode::ZPcin);
         draft.start_from(kind, (alone ? biases.cycle : 0) + biases.load);
         if (draft.plan.words == 1) return;
         const auto w = biases.cycle != 0 ? Opmode::WRnd : Opmode::W0;
         kind.run = alone ? op(w, Opmode::ZP) : op(Opmode::WP, Opmode::ZPcin);
       }});
}

int add_counter(Draft& draft, int slice, const Lane& lane, int watch, const Interval& total) {
  const Exact most = floor_div(total.hi, power_of_two(lane.width));
  draft.plan.counters.push_back({.slice = slice,
                                 .lsb = lane.offset + lane.width - watched(lane, watch),
                                 .width = watched(lane, watch),
                                 .bits = std::max(1, bits_for_count(most + 1))});
  return static_cast<int>(draft.plan.counters.size()) - 1;
}

// The lanes that counters follow: biases, proof, the sum of each lane, and whether a lane needs a
// counter. The top lane needs a counter and a bias only if its sum is wider than the rest of the
// word.
struct Followed {
  std::vector<Interval> totals;
  std::vector<bool> counted;
};

Followed follow(Draft& draft, int watch) {
  PackingPlan& plan = draft.plan;
  Followed followed;
  // If no term fits, take one, so that the plan is refused here.
  const std::int64_t most = plan.segment <= step_limit(plan, watch) ? 0 : step_limit(plan, watch);
  Exact below = 0;  // what the lane below adds in one cycle
  for (auto& lane : plan.lanes) {
    const bool top = &lane == &plan.lanes.back();
    const Interval step = lane.term * plan.segment + Interval{0, below};
    const auto name = fmt::format("lane at {}", lane.offset);
    if (top && (step * plan.words).within(signed_range(lane.width))) {
      followed.totals.push_back(step * plan.words);
      followed.counted.push_back(false);
      draft.proof().within(name + " over all cycles", step * plan.words, signed_range(lane.width));
      continue;
    }
    lane.bias = -step.lo;
    lane.is_signed = false;
    followed.totals.push_back((step + lane.bias) * plan.words);
    followed.counted.push_back(true);
    draft.proof().within(
        fmt::format("{} in one cycle of {} terms, B = {}", name, plan.segment,
                    to_string(lane.bias)),
        step + lane.bias, {0, step_room(lane, watch)},
        at_most(most, fmt::format("a cycle at G = {} with {} bits watched", plan.guard, watch)));
    below = 1;
  }
  return followed;
}

}  // namespace

Planned wrap_counter(const Request& request) {
  Draft draft(request, Scheme::WrapCounter);
  PackingPlan& plan = draft.plan;
  const int watch = request.tuning.watch_bits.value_or(kWatchBits);
  if (watch < 1)
    draft.refuse(code::out_of_range, "watched bits", "1 to 16 bits", Interval::point(watch),
                 {1, 16});
  if (!draft.lay_out(grid_of(request, 2, 1))) return draft.finish();
  // If the request leaves the cycles open, one slice takes all terms, provided that the lanes hold
  // them. Otherwise one chain of the longest length takes them. Empty slots count as terms, because
  // a centre makes their products nonzero.
  // A slot that never has a term would add what its operands are.
  const std::int64_t few =
      request.cycles ? ceil_div(plan.terms, *request.cycles)
                     : std::clamp<std::int64_t>(request.tuning.segment.value_or(1), 1, plan.terms);
  const bool plain = few * ceil_div(plan.terms, few) <= offset_limit(plan.lanes);
  // Without W a slice adds only one more number: P, or at first the bias.
  const bool alone = !plan.limits.w_multiplexer;
  if (alone && request.tuning.segment.value_or(1) > 1)
    draft.refuse(code::not_on_family, "P + PCIN + product on " + plan.limits.family, "one slice");
  if (alone && !plain)
    draft.refuse(code::not_on_family, "a bias in every cycle on " + plan.limits.family,
                 at_most(offset_limit(plan.lanes), "in every lane, or wp486-macc"));
  const std::int64_t longest =
      request.tuning.segment.value_or(static_cast<int>(plain ? few : step_limit(plan, watch)));
  const std::int64_t open = request.tuning.segment ? longest : std::min(longest, kOpenChain);
  const std::int64_t per_cycle = request.cycles || plain ? few : std::min(open, plan.terms);
  draft.fold(per_cycle, ceil_div(plan.terms, per_cycle));
  plan.segment =
      alone ? 1 : std::min({longest, per_cycle, std::int64_t{plan.limits.column_height}});
  plan.segments = ceil_div(per_cycle, plan.segment);
  plan.separation = plain ? Separation::Wires : Separation::WrapCounter;
  plan.drain = plan.segments > 1 ? Drain::Lut : Drain::None;

  Biases biases;
  Followed followed;
  if (plain) {
    set_biases(draft, draft.computed_terms());
    biases.load = draft.bias_word();
    for (const auto& lane : plan.lanes) {
      followed.totals.push_back(lane.term * draft.computed_terms() + lane.bias);
      followed.counted.push_back(false);
      draft.proof().within(fmt::format("lane at {} after {} terms, R = {}", lane.offset,
                                       draft.computed_terms(), to_string(lane.bias)),
                           followed.totals.back(), Format{lane.width, lane.is_signed}.range());
    }
  } else {
    followed = follow(draft, watch);
    biases.cycle = draft.bias_word();
  }

  std::vector<std::vector<Signal>> signals(plan.lanes.size());
  std::vector<Exact> constants(plan.lanes.size(), 0);
  draft.for_chains([&](std::int64_t first, std::int64_t count, int start) {
    const int last = add_chain(draft, first, count, start, biases);
    int carries = -1;
    for (std::size_t l = 0; l < plan.lanes.size(); ++l) {
      const Lane& lane = plan.lanes[l];
      Signal field = draft.field(last, lane, followed.totals[l]);
      if (!plain) field.flip = false;  // the bias of a followed lane grows with every cycle
      signals[l].push_back(field);
      if (carries >= 0)
        signals[l].push_back(
            {.kind = Signal::Kind::Counter, .coefficient = -1, .counter = carries});
      carries =
          followed.counted[l] ? add_counter(draft, last, lane, watch, followed.totals[l]) : -1;
      if (carries >= 0)
        signals[l].push_back({.kind = Signal::Kind::Counter,
                              .coefficient = static_cast<std::int64_t>(power_of_two(lane.width)),
                              .counter = carries});
      constants[l] += plain ? draft.field_constant(lane) : -lane.bias * plan.words;
    }
  });
  for (std::size_t l = 0; l < plan.lanes.size(); ++l)
    draft.add_result(plan.lanes[l], signals[l], constants[l]);
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
