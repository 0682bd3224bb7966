// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/schemes/drain.h"

#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"

namespace kumiki::gen::packing {
namespace {

// Wires a feed to a port, moved to its SIMD lane. `ordinal` is the source that carries it.
void wire_feed(Wiring& port, const Signal& field, int ordinal, int at, int width) {
  port.width = kWordBits;
  if (field.is_signed)
    add_sign_extended(port, ordinal, field.lsb, field.width, at, width);
  else
    port.pieces.push_back(Piece::bits(ordinal, field.lsb, std::min(field.width, width), at));
}

struct Cascade {
  Draft& draft;
  const DrainPlan& drain;
  const std::vector<std::vector<DrainFeed>>& feeds;
  std::size_t first_lane;
  std::size_t lanes;
  Exact rnd;

  SliceKind kind(std::int64_t stage, bool second) const {
    const int width = lane_bits(drain.simd);
    SliceKind k = adder("drain");
    const auto chain = static_cast<std::size_t>(stage) * drain.chains_per_stage;
    bool extra = false;
    for (std::size_t q = 0; q < lanes; ++q) {
      const int at = static_cast<int>(q) * width;
      const DrainFeed& feed = feeds[chain][first_lane + q];
      wire_feed(k.c, feed.field, 0, at, width);
      if (feed.extra) {
        extra = true;
        wire_feed(k.ab, *feed.extra, 0, at + feed.extra_shift, width - feed.extra_shift);
      }
      if (second) wire_feed(k.ab, feeds[chain + 1][first_lane + q].field, 1, at, width);
    }
    const bool ab = extra || second;
    const bool last = stage + 1 == drain.stages;
    const bool folded = draft.plan.words > 1;
    const auto op = [&](Opmode::W w) {
      if (stage == 0) return Opmode::of(w, Opmode::ZC, ab ? Opmode::AB : Opmode::None);
      return Opmode::of(w, Opmode::ZPcin, ab ? Opmode::AB_C : Opmode::C);
    };
    if (!draft.plan.limits.w_multiplexer) {
      k.load = k.run = op(Opmode::W0);
      return k;
    }
    k.load = op(last && rnd != 0 ? Opmode::WRnd : Opmode::W0);
    k.run = last && folded ? op(Opmode::WP) : k.load;
    if (last) k.rnd = rnd;
    if (last && folded) k.name = "accumulating drain";
    return k;
  }

  SliceKind adder(const char* name) const {
    SliceKind k;
    k.name = name;
    k.multiplies = false;
    k.simd = drain.simd;
    return k;
  }

  // Without W another slice adds what is constant in the first cycle, and P in the others.
  int add_total(int drained, bool column_ends) const {
    const bool folded = draft.plan.words > 1;
    SliceKind k = adder(folded ? "accumulating total" : "total");
    const auto z = column_ends ? Opmode::ZC : Opmode::ZPcin;
    if (rnd != 0) {
      k.ab.width = kWordBits;
      add_constant(k.ab, rnd, kWordBits, 0);
    }
    if (column_ends) k.c = {kWordBits, {Piece::bits(0, 0, kWordBits, 0)}};
    k.load = Opmode::of(Opmode::W0, z, rnd != 0 ? Opmode::AB : Opmode::None);
    k.run = folded ? Opmode::of(Opmode::W0, z, Opmode::P) : k.load;
    Slice slice{.kind = draft.add_kind(k), .cycle = draft.cycle(drained) + (column_ends ? 2 : 1)};
    (column_ends ? slice.sources[0] : slice.cascade) = drained;
    return draft.add_slice(slice);
  }

  // Adds the cascade of drains for the last slices of the chains; returns the last of them.
  int add(const std::vector<int>& exits) const {
    int last = -1;
    int in_column = 0;
    const int height = draft.plan.limits.column_height;
    for (std::int64_t stage = 0; stage < drain.stages; ++stage) {
      if (in_column == height) {
        SliceKind pass = adder("column");
        pass.load = pass.run = Opmode::of(Opmode::W0, Opmode::ZC, Opmode::None);
        pass.c = {kWordBits, {Piece::bits(0, 0, kWordBits, 0)}};
        last = draft.add_slice({.kind = draft.add_kind(pass),
                                .cycle = draft.cycle(last) + 2,
                                .sources = {last, -1, -1}});
        in_column = 1;
      }
      const auto chain = static_cast<std::size_t>(stage) * drain.chains_per_stage;
      const bool second = drain.chains_per_stage == 2 && chain + 1 < exits.size();
      Slice slice{.kind = draft.add_kind(kind(stage, second)),
                  .cycle = draft.cycle(exits[chain]) + 2,
                  .sources = {exits[chain], second ? exits[chain + 1] : -1, -1}};
      if (stage > 0) slice.cascade = last;
      last = draft.add_slice(slice);
      ++in_column;
    }
    if (!draft.plan.limits.w_multiplexer && (rnd != 0 || draft.plan.words > 1))
      return add_total(last, in_column == height);
    return last;
  }
};

}  // namespace

int DrainPlan::stage_delay(std::int64_t stage, int column_height) const {
  // A column holds `column_height` drains. In every further column the first slice only passes the
  // word on, which takes two cycles.
  if (stage < column_height) return static_cast<int>(stage);
  const std::int64_t per_column = std::max(1, column_height - 1);
  const std::int64_t columns = 1 + (stage - column_height) / per_column;
  return static_cast<int>(stage + 2 * columns);
}

DrainPlan plan_drain(Draft& draft, std::int64_t chains, int chains_per_stage) {
  DrainPlan drain{.chains_per_stage = chains_per_stage,
                  .stages = ceil_div(chains, chains_per_stage)};
  drain.simd = Simd::Four12;
  const auto range = [&](const Lane& lane) {
    // Operand sums that the consumer or the fabric adds come after the drain.
    return draft.lane_sum(lane) + draft.centring(lane, nullptr);
  };
  const auto hold = [&](Simd simd) {
    for (const auto& lane : draft.plan.lanes)
      if (!range(lane).within(signed_range(lane_bits(simd)))) return false;
    return true;
  };
  if (draft.plan.lanes.size() <= 2 || !hold(Simd::Four12)) drain.simd = Simd::Two24;
  if (drain.simd == Simd::Two24 && !hold(Simd::Two24)) drain.simd = Simd::One48;
  draft.plan.drain = drain.simd == Simd::Four12  ? Drain::Four12
                     : drain.simd == Simd::Two24 ? Drain::Two24
                                                 : Drain::One48;
  for (const auto& lane : draft.plan.lanes)
    draft.proof().within(
        fmt::format("lane at {} over {} terms in the drain", lane.offset, draft.plan.terms),
        range(lane), signed_range(lane_bits(drain.simd)));
  return drain;
}

void add_drain(Draft& draft, const DrainPlan& drain,
               const std::vector<std::vector<DrainFeed>>& feeds,
               const std::vector<Exact>& constants) {
  const PackingPlan& plan = draft.plan;
  const int width = lane_bits(drain.simd);
  const std::size_t per_slice = kWordBits / width;
  std::vector<int> exits;
  for (const auto& chain : feeds) exits.push_back(chain.front().field.slice);
  for (std::size_t first = 0; first < plan.lanes.size(); first += per_slice) {
    const std::size_t count = std::min(per_slice, plan.lanes.size() - first);
    Exact rnd = 0;
    for (std::size_t q = 0; q < count; ++q) {
      const Exact constant = constants[first + q] + draft.centring(plan.lanes[first + q], nullptr);
      const Exact modulus = power_of_two(width);
      rnd += ((constant % modulus + modulus) % modulus) << (static_cast<int>(q) * width);
    }
    const int last = Cascade{draft, drain, feeds, first, count, rnd}.add(exits);
    for (std::size_t q = 0; q < count; ++q) {
      const Lane& lane = plan.lanes[first + q];
      const Exact in_slice = draft.centring(lane, nullptr);
      const int bits = std::min(width, signed_bits(draft.lane_sum(lane) + in_slice));
      // RND has already undone the constant part of the re-centring.
      draft.add_result(
          lane,
          {{.slice = last, .lsb = static_cast<int>(q) * width, .width = bits, .is_signed = true}},
          -in_slice);
    }
  }
}

}  // namespace kumiki::gen::packing
