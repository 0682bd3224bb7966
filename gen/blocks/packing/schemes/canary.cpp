// SPDX-License-Identifier: Apache-2.0
// T6: n x m products a slice in lanes narrower than a product. Every lane accumulates modulo 2^s,
// and its carries go up into the next lane. There the lowest v bits (the canary) are compared with
// what the product alone would give; the difference is the carry h of that step. With H the count
// of these carries,
//   lane l = residue_l + 2^s * H_l - H_(l-1).
// The ranges give an interval for the carry of a step; h is exact when 2^v is at least its number
// of values. A bias by RND in every step, which makes products never negative, sometimes saves a
// bit.
#include <fmt/format.h>

#include "gen/blocks/packing/schemes/draft.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {
namespace {

constexpr int kCanaryBits = 3;  // as many as the notes use; more cost a truncated multiplier each

// The carries out of a lane of `width` bits with any residue, when it gets a product and the
// carries of the lane below: the smallest interval that maps into itself.
Interval carries(const Interval& product, int width, const Interval& below) {
  const Interval sum = Interval{0, power_of_two(width) - 1} + product + below;
  return {floor_div(sum.lo, power_of_two(width)), floor_div(sum.hi, power_of_two(width))};
}

struct Steps {
  std::vector<Interval> up;  // carries out of every lane but the top one
  int bits = 0;              // v, the widest canary
};

Steps steps(const std::vector<Lane>& lanes, bool biased) {
  Steps all;
  Interval below;
  for (std::size_t l = 0; l + 1 < lanes.size(); ++l) {
    const Interval product = biased ? lanes[l].term - lanes[l].term.lo : lanes[l].term;
    below = carries(product, lanes[l].width, below);
    all.up.push_back(below);
    all.bits = std::max(all.bits, bits_for_count(below.span() + 1));
  }
  return all;
}

// The smallest canary of a grid; nothing when the grid does not fit the ports at this spacing.
std::optional<int> canary_of(const Request& request, const Grid& grid) {
  if (grid.spacing < request.shared.bits ||
      grid.spacing * (grid.packed * grid.shared - 1) >= kWordBits)
    return std::nullopt;
  Draft probe(request, Scheme::Canary);
  probe.lay_out(grid);
  if (!probe.plan.certificate.holds()) return std::nullopt;
  const int v = std::min(steps(probe.plan.lanes, false).bits, steps(probe.plan.lanes, true).bits);
  // The canary must be inside its lane and leave some bits of the residue unwatched.
  return v < grid.spacing ? std::optional<int>(v) : std::nullopt;
}

void spread(const Request& request, std::vector<Request>& all) {
  const Tuning& t = request.tuning;
  const int most = t.canary_bits.value_or(kCanaryBits);
  for (int lanes = 18; lanes >= 2; --lanes) {
    bool found = false;
    for (int m = 1; m <= lanes; ++m) {
      if (lanes % m != 0 || t.shared_count.value_or(m) != m ||
          t.packed_count.value_or(lanes / m) != lanes / m || !rows_fit(request, lanes / m, m))
        continue;
      // The widest spacing with the smallest canary.
      std::optional<std::pair<int, int>> best;
      for (int s = kWordBits / lanes + 1; s >= 1; --s) {
        if (t.guard.value_or(s) != s) continue;
        const auto v = canary_of(request, {.packed = lanes / m, .shared = m, .spacing = s});
        if (v && *v <= most && (!best || *v < best->second)) best = {s, *v};
      }
      if (!best) continue;
      found = true;
      all.push_back(request);
      all.back().tuning.packed_count = lanes / m;
      all.back().tuning.shared_count = m;
      all.back().tuning.guard = best->first;
    }
    if (found) return;
  }
}

// The biases of a plan, and what follows from them for every lane.
struct Drawn {
  std::vector<Interval> up;       // carries out of each lane in one step
  std::vector<Interval> counted;  // their sum over all steps, exactly
  std::optional<int> watch;       // top bits compared when the top lane may wrap round
  Exact rounds = 0;               // how often it may wrap
};

void set_lane_biases(Draft& draft, bool biased, const Steps& step) {
  auto& lanes = draft.plan.lanes;
  for (std::size_t l = 0; l + 1 < lanes.size(); ++l) {
    lanes[l].is_signed = false;
    lanes[l].bias = biased ? -lanes[l].term.lo : 0;
    const int v = bits_for_count(step.up[l].span() + 1);
    lanes[l + 1].canary =
        draft.request().tuning.canary_bits ? *draft.request().tuning.canary_bits : v;
  }
}

// H_l is the lane's whole sum, with what came from below, divided by 2^s: its range is exact.
Drawn draw(Draft& draft, const Steps& step) {
  const PackingPlan& plan = draft.plan;
  Drawn drawn{.up = step.up};
  Interval below;
  for (std::size_t l = 0; l + 1 < plan.lanes.size(); ++l) {
    const Lane& lane = plan.lanes[l];
    const Interval sum = (lane.term + lane.bias) * plan.words + below;
    below = {floor_div(sum.lo, power_of_two(lane.width)),
             floor_div(sum.hi, power_of_two(lane.width))};
    drawn.counted.push_back(below);
  }
  return drawn;
}

// The top lane wraps round at bit 47. Where its value modulo 2^width is not enough, a bias makes it
// move upwards only, and its top bits are watched as in wrap-counter.
void follow_top(Draft& draft, Drawn& drawn) {
  PackingPlan& plan = draft.plan;
  Lane& top = plan.lanes.back();
  const Interval sum = top.term * plan.words;
  const auto name = fmt::format("top lane after {} terms", plan.words);
  if (sum.within(signed_range(top.width)) || !plan.limits.w_multiplexer) {
    draft.proof().within(name, sum, signed_range(top.width));
    return;
  }
  const Interval step = top.term + (drawn.up.empty() ? Interval{} : drawn.up.back());
  top.bias = -step.lo;
  top.is_signed = false;
  const auto room = [&](int bits) {
    return power_of_two(top.width) - power_of_two(top.width - bits);
  };
  int watch = 1;
  while (watch < std::min(3, top.width) && room(watch) < step.span()) ++watch;
  draft.proof().within(fmt::format("top lane in one step, B = {}", to_string(top.bias)),
                       step + top.bias, {0, room(watch)}, "fewer lanes or a narrower spacing");
  drawn.watch = watch;
  const Interval whole = (top.term + top.bias) * plan.words +
                         (drawn.counted.empty() ? Interval{} : drawn.counted.back());
  drawn.rounds = floor_div(whole.hi, power_of_two(top.width));
}

int add_canary(Draft& draft, const Drawn& drawn, int slice, std::size_t lane) {
  PackingPlan& plan = draft.plan;
  const Lane& next = plan.lanes[lane + 1];
  const Interval& up = drawn.up[lane];
  const Interval& all = drawn.counted[lane];
  plan.counters.push_back(
      {.kind = Counter::Kind::Canary,
       .slice = slice,
       .lsb = next.offset,
       .width = next.canary,
       .packed = next.packed,
       .shared = next.shared,
       .bias = static_cast<std::int64_t>(next.bias),
       .lowest = static_cast<std::int64_t>(up.lo),
       .bits = std::max(1, up.lo < 0 ? signed_bits(all) : bits_for_count(all.hi + 1))});
  return static_cast<int>(plan.counters.size()) - 1;
}

int add_wrap(Draft& draft, const Drawn& drawn, int slice) {
  const Lane& top = draft.plan.lanes.back();
  draft.plan.counters.push_back({.kind = Counter::Kind::Wrap,
                                 .slice = slice,
                                 .lsb = top.offset + top.width - *drawn.watch,
                                 .width = *drawn.watch,
                                 .bits = std::max(1, bits_for_count(drawn.rounds + 1))});
  return static_cast<int>(draft.plan.counters.size()) - 1;
}

// Adds the fields and counters of one slice to the result of every lane.
void read_lanes(Draft& draft, const Drawn& drawn, int slice,
                std::vector<std::vector<Signal>>& signals) {
  const auto& lanes = draft.plan.lanes;
  const auto counted = [&](std::size_t l, std::int64_t coefficient, int counter) {
    signals[l].push_back(
        {.kind = Signal::Kind::Counter, .coefficient = coefficient, .counter = counter});
  };
  int below = -1;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    const bool top = l + 1 == lanes.size();
    signals[l].push_back(
        {.slice = slice, .lsb = lane.offset, .width = lane.width, .is_signed = lane.is_signed});
    if (below >= 0) counted(l, -1, below);
    if (top && !drawn.watch) break;
    below = top ? add_wrap(draft, drawn, slice) : add_canary(draft, drawn, slice, l);
    counted(l, static_cast<std::int64_t>(power_of_two(lane.width)), below);
  }
}

Grid tuned_grid(const Request& request) {
  const Tuning& t = request.tuning;
  Grid grid{.packed = t.packed_count.value_or(2), .shared = t.shared_count.value_or(2)};
  grid.spacing = t.guard.value_or(
      std::max(request.shared.bits, request.packed.bits + request.shared.bits - 1));
  return grid;
}

}  // namespace

std::vector<Request> canary_variants(const Request& request) {
  std::vector<Request> all;
  spread(request, all);
  return all.empty() ? std::vector<Request>{request} : all;
}

PackingPlan canary(const Request& request) {
  Draft draft(request, Scheme::Canary);
  PackingPlan& plan = draft.plan;
  const std::int64_t per_cycle = ceil_div(plan.terms, request.cycles.value_or(plan.terms));
  draft.fold(per_cycle, ceil_div(plan.terms, per_cycle));
  draft.lay_out(tuned_grid(request));
  plan.segment = 1;
  plan.segments = per_cycle;
  plan.separation = Separation::Canary;
  plan.drain = per_cycle > 1 ? Drain::Lut : Drain::None;

  const bool biased =
      plan.limits.w_multiplexer && steps(plan.lanes, true).bits < steps(plan.lanes, false).bits;
  const Steps step = steps(plan.lanes, biased);
  set_lane_biases(draft, biased, step);
  for (std::size_t l = 0; l + 1 < plan.lanes.size(); ++l) {
    const int v = plan.lanes[l + 1].canary;
    draft.proof().at_most(
        fmt::format("different carries into lane {} in one step, told by {} bits", l + 1, v),
        step.up[l].span() + 1, power_of_two(v), fmt::format("a canary of {} bits", step.bits));
    // The expected bits have to come out of one LUT a bit.
    if (v > 3)
      draft.refuse(Code::out_of_range, fmt::format("canary bits of lane {}", l + 1),
                   Interval::point(v), {1, 3}, "a wider spacing, fewer lanes or narrower operands");
    draft.proof().at_most(fmt::format("canary bits of lane {}", l + 1), v, plan.lanes[l + 1].width,
                          "a wider spacing");
  }
  Drawn drawn = draw(draft, step);
  follow_top(draft, drawn);

  const Exact rnd = draft.bias_word();
  const auto bias = rnd != 0 ? Opmode::WRnd : Opmode::W0;
  SliceKind kind = draft.multiply_kind("accumulate", Opmode::of(bias, Opmode::Z0, Opmode::M), {});
  kind.run = plan.words > 1 ? Opmode::of(bias, Opmode::ZP, Opmode::M) : kind.load;
  kind.rnd = rnd;
  std::vector<std::vector<Signal>> signals(plan.lanes.size());
  for (std::int64_t first = 0; first < per_cycle; ++first) {
    const int slice = draft.add_slice(
        {.kind = draft.add_kind(kind), .cycle = plan.multiply_latency, .term = first});
    plan.chains.push_back({slice, 1, 0});
    read_lanes(draft, drawn, slice, signals);
  }
  for (std::size_t l = 0; l < plan.lanes.size(); ++l)
    draft.add_result(plan.lanes[l], signals[l], -plan.lanes[l].bias * plan.words * per_cycle);
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
