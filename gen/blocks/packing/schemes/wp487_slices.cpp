// SPDX-License-Identifier: Apache-2.0
// WP487's adder slice. Wires sign-extend the words of a segment to 24 + 24 bits. Read as one 48-bit
// number, that is exactly H * 2^24 + L again: the high word contains the borrow of a negative low
// word. So segments are added as plain 48-bit words, and one increment after all of them is enough;
// a last slice does it. K segments take K - 1 adders and the increment: 8 slices for 7 terms, 9 for
// 8.
#include <fmt/format.h>

#include "gen/blocks/packing/schemes/wp487.h"

namespace kumiki::gen::packing::wp487 {
namespace {

constexpr int kHalf = 24;

Wiring widened(const Draft& draft, int source) {
  const int guard = draft.plan.guard;
  Wiring wiring{kWordBits, {}};
  add_sign_extended(wiring, source, 0, guard, 0, kHalf);
  add_sign_extended(wiring, source, guard, kWordBits - guard, kHalf, kHalf);
  return wiring;
}

Wiring whole(int source) { return {kWordBits, {Piece::bits(source, 0, kWordBits, 0)}}; }

SliceKind adder(std::string name, Opmode op) {
  SliceKind kind;
  kind.name = std::move(name);
  kind.multiplies = false;
  kind.load = kind.run = op;
  return kind;
}

// Adds words that arrive one after the other along a cascade. `take(k, cycle)` makes the k-th word
// so that its P is valid in `cycle`. `wire(source)` is the adder's view of it. Returns the last
// slice.
template <typename Take, typename Wire>
int add_words(Draft& draft, std::int64_t count, int cycle, const std::string& name, Take take,
              Wire wire) {
  if (count == 1) return take(0, cycle);
  const int a = take(0, cycle);
  const int b = take(1, cycle);
  SliceKind first = adder(name, Opmode::of(Opmode::W0, Opmode::Z0, Opmode::AB_C));
  first.ab = wire(0), first.c = wire(1);
  int last =
      draft.add_slice({.kind = draft.add_kind(first), .cycle = cycle + 2, .sources = {a, b, -1}});
  int in_column = 1;
  for (std::int64_t k = 2; k < count; ++k) {
    const bool column = in_column == draft.plan.limits.column_height;
    const int at = draft.cycle(last) + (column ? 2 : 1);
    const int word = take(k, at - 2);
    SliceKind next = adder(name, Opmode::of(Opmode::W0, Opmode::ZPcin, Opmode::C));
    if (column) {
      next = adder(name + " column", Opmode::of(Opmode::W0, Opmode::Z0, Opmode::AB_C));
      next.ab = whole(1);
    }
    next.c = wire(0);
    Slice slice{
        .kind = draft.add_kind(next), .cycle = at, .sources = {word, column ? last : -1, -1}};
    if (!column) slice.cascade = last;
    last = draft.add_slice(slice);
    in_column = column ? 1 : in_column + 1;
  }
  return last;
}

// Cycles from the first word to the sum of `count` words.
int adding_cycles(const Draft& draft, std::int64_t count) {
  if (count == 1) return 0;
  return 2 + static_cast<int>(count - 2 + (count - 2) / draft.plan.limits.column_height);
}

// Puts H on bits 23..0 with the increment as carry-in and L on bits 47..24. TWO24 keeps the carry
// out of L.
int add_increment(Draft& draft, int word, bool from_chain) {
  const int guard = draft.plan.guard;
  SliceKind kind = adder("increment", Opmode::of(Opmode::W0, Opmode::ZC, Opmode::None));
  kind.simd = Simd::Two24;
  kind.c.width = kWordBits;
  const int split = from_chain ? guard : kHalf;
  add_sign_extended(kind.c, 0, split, kWordBits - split, 0, kHalf);
  add_sign_extended(kind.c, 0, 0, split, kHalf, kHalf);
  kind.has_carry_in = true;
  kind.carry_in = Piece::bits(0, split - 1, 1, 0);
  return draft.add_slice(
      {.kind = draft.add_kind(kind), .cycle = draft.cycle(word) + 2, .sources = {word, -1, -1}});
}

Wiring group_half(int source, int lsb) {
  Wiring wiring{kWordBits, {}};
  add_sign_extended(wiring, source, lsb, kHalf, 0, kWordBits);
  return wiring;
}

}  // namespace

Planned in_slices(Draft draft) {
  PackingPlan& plan = draft.plan;
  const Lane low_lane = plan.lanes[0];
  const Lane high_lane = plan.lanes[1];
  const bool one_column = plan.scheme == Scheme::Wp487Uint8Dsp;
  const std::int64_t longest =
      one_column ? std::min<std::int64_t>(limit(draft), plan.limits.column_height) : limit(draft);
  const std::int64_t wished = draft.request().tuning.segment.value_or(longest);
  plan.segment = std::max<std::int64_t>(1, std::min(wished, plan.terms));
  plan.segments = ceil_div(plan.terms, plan.segment);
  plan.separation = Separation::Increment;
  prove_chain(draft, plan.segment, "");

  // A group has as many segments as 24-bit words hold in the worst case.
  Exact most = 65536;
  for (const Lane* lane : {&low_lane, &high_lane}) {
    if (lane->term.hi > 0) most = std::min(most, (power_of_two(kHalf - 1) - 1) / lane->term.hi);
    if (lane->term.lo < 0) most = std::min(most, power_of_two(kHalf - 1) / -lane->term.lo);
  }
  const auto in_group = std::max<std::int64_t>(
      1, std::min(plan.segments, static_cast<std::int64_t>(most) / plan.segment));
  const std::int64_t groups = ceil_div(plan.segments, in_group);
  const std::int64_t group_terms = std::min(plan.terms, in_group * plan.segment);
  plan.drain = groups > 1 ? Drain::One48 : Drain::Two24;
  const std::string legal =
      fmt::format("at most {} terms in words of {} bits", to_string(most), kHalf);
  draft.proof().within(fmt::format("low word of {} terms", group_terms),
                       low_lane.term * group_terms, signed_range(kHalf), legal);
  draft.proof().within(fmt::format("high word of {} terms, less the borrow", group_terms),
                       high_lane.term * group_terms + Interval{-1, 0}, signed_range(kHalf), legal);

  const int exit = chain_cycles(plan, plan.segment);
  const auto segment = [&](std::int64_t index, int cycle) {
    const std::int64_t first = index * plan.segment;
    const std::int64_t count = std::min(plan.segment, plan.terms - first);
    const int start = cycle - chain_cycles(plan, count);
    return draft.add_chain({.first_term = first, .count = count, .start = start});
  };
  std::vector<int> done;
  const auto group = [&](std::int64_t index, int cycle) {
    const std::int64_t first = index * in_group;
    const std::int64_t count = std::min(in_group, plan.segments - first);
    const int words_at = cycle - 2 - adding_cycles(draft, count);
    const int sum = add_words(
        draft, count, words_at, "adder",
        [&](std::int64_t k, int at) { return segment(first + k, at); },
        [&](int source) { return widened(draft, source); });
    return add_increment(draft, sum, count == 1);
  };
  const int group_cycle = exit + adding_cycles(draft, in_group) + 2;
  if (groups == 1) {
    const int last = group(0, group_cycle);
    draft.add_result(low_lane, {{.slice = last, .lsb = kHalf, .width = kHalf, .is_signed = true}},
                     0);
    draft.add_result(high_lane, {{.slice = last, .width = kHalf, .is_signed = true}}, 0);
    return draft.finish();
  }
  // Groups are made while their low words are added; the high words have a separate cascade.
  const int low_sum = add_words(
      draft, groups, group_cycle, "low words",
      [&](std::int64_t k, int at) { return done.emplace_back(group(k, at)); },
      [](int source) { return group_half(source, kHalf); });
  const int high_sum = add_words(
      draft, groups, group_cycle, "high words", [&](std::int64_t k, int) { return done[k]; },
      [](int source) { return group_half(source, 0); });
  const auto sum_bits = [&](const Lane& lane) { return signed_bits(draft.lane_sum(lane)); };
  draft.add_result(low_lane, {{.slice = low_sum, .width = sum_bits(low_lane), .is_signed = true}},
                   0);
  draft.add_result(high_lane,
                   {{.slice = high_sum, .width = sum_bits(high_lane), .is_signed = true}}, 0);
  return draft.finish();
}

}  // namespace kumiki::gen::packing::wp487
