// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/select.h"

#include <algorithm>
#include <array>

#include "gen/hdl/cells.h"

namespace kumiki::gen::requant {
namespace {

// Whether the bits above the field equal its sign (or are 0 if it has none).
struct Fit {
  Net zeros = ir::net_one, ones = ir::net_zero;  // fits if one of them is 1 ...
  bool inverted = false;                         // ... with `zeros` inverted
};

Fit fit(Scope& s, const RequantPlan& r, const SliceResult& slice) {
  if (r.saturation == Saturation::Pattern)
    return {slice.detect, r.field_signed ? slice.detect_b : ir::net_zero};
  if (r.saturation == Saturation::None) return {};
  const int from = r.field_lsb + r.field_bits - (r.field_signed ? 1 : 0);
  const UInt above =
      slice.p.slice(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(r.above_bits));
  return {any_of(s, above), r.field_signed ? all_of(s, above) : ir::net_zero, true};
}

// Whether the bits below form a tie: all 1 if the last bit is then set, otherwise all 0.
struct Ties {
  Net tie = ir::net_zero;
  bool inverted = false;
};
Ties ties(Scope& s, const RequantPlan& r, const SliceResult& slice) {
  if (r.tie_fix == TieFix::None) return {};
  if (!r.ties_in_luts) return {slice.detect};
  const UInt below = slice.p.slice(0, static_cast<std::uint32_t>(r.request.shift));
  if (r.tie_fix == TieFix::SetLsb) return {all_of(s, below)};
  return {any_of(s, below), true};
}

// The field with the last bit of a tie made even.
UInt even(Scope& s, const RequantPlan& r, const UInt& field, const Ties& ties) {
  if (r.tie_fix == TieFix::None) return field;
  return made_even(s, field, ties.inverted ? ~ties.tie : Bit(ties.tie),
                   r.tie_fix == TieFix::SetLsb);
}

// Up to luts_bits bits are compared in LUTs, more bits on a carry chain.
constexpr std::uint32_t luts_bits = 16, digit_bits = 5;

// Five bits a carry position: if they are equal, the bits below decide; otherwise they decide.
Net below_on_chain(Scope& s, const UInt& word, std::uint64_t limit, std::uint64_t flip,
                   bool inverted) {
  std::vector<Net> propagate, answer;
  for (std::uint32_t at = 0; at < word.width(); at += digit_bits) {
    const std::uint32_t count = std::min(digit_bits, word.width() - at);
    const std::uint64_t mask = (std::uint64_t{1} << count) - 1, digit = limit >> at & mask;
    std::array<Net, 6> in;
    in.fill(ir::net_zero);
    in[5] = ir::net_one;  // enables both outputs
    std::copy_n(word.nets().begin() + at, count, in.begin());
    Table both{.inputs = 6};
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint64_t value = i ^ (flip >> at & mask);
      both.bits |= static_cast<std::uint64_t>((value < digit) != inverted) << i |
                   static_cast<std::uint64_t>(value == digit) << (i + 32);
    }
    const Lut6_2::Out out = Lut6_2{.init = both, .in = {in.begin(), in.end()}}.add_to(s);
    propagate.push_back(out.o6);
    answer.push_back(out.o5);
  }
  return carry_chain(s, bits(s, propagate), bits(s, answer), ir::constant(inverted)).carry;
}

}  // namespace

UInt made_even(Scope& s, const UInt& q, const Bit& tie, bool sets) {
  const UInt last = bits(s, {s.net(sets ? q[0] | tie : q[0] & ~tie)});
  return q.width() == 1 ? last : cat(s, {q.slice(1, q.width() - 1), last});
}

Bit some_differ(Scope& s, std::span<const Net> nets, Net all) {
  Bit any = ir::net_zero;
  for (std::size_t i = 0; i < nets.size(); i += 5) {
    Bit five = ir::net_zero;
    for (std::size_t j = i; j < std::min(i + 5, nets.size()); ++j) five |= nets[j] ^ all;
    any |= s.net(five);
  }
  return any;
}

int levels_below_constant(int bits) {
  if (bits <= static_cast<int>(luts_bits)) return bits <= 6 ? 1 : 1 + (bits - 6 + 4) / 5;
  constexpr int in_a_block = 8 * static_cast<int>(digit_bits);
  return 1 + (bits + in_a_block - 1) / in_a_block;
}

Net below_constant(Scope& s, const UInt& word, std::int64_t bound, bool is_signed, bool inverted) {
  const std::uint32_t width = word.width();
  // With its sign bit inverted a signed word reads as an unsigned one, 2^(width-1) higher.
  const std::int64_t half = is_signed ? std::int64_t{1} << (width - 1) : 0;
  if (bound + half <= 0) return ir::constant(inverted);
  if (bound + half >= std::int64_t{1} << width) return ir::constant(!inverted);
  const auto limit = static_cast<std::uint64_t>(bound + half);
  const auto flip = static_cast<std::uint64_t>(half);
  if (width > luts_bits) return below_on_chain(s, word, limit, flip, inverted);
  Net less = ir::net_zero;
  for (std::uint32_t at = 0; at < width;) {
    // The first LUT reads no earlier result, so it has room for one bit more.
    const std::uint32_t count = std::min(at == 0 ? 6u : 5u, width - at);
    std::vector<Net> in(word.nets().begin() + at, word.nets().begin() + at + count);
    if (at > 0) in.push_back(less);
    const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
    const std::uint64_t digit = limit >> at & mask, turn = flip >> at & mask;
    const bool first = at == 0, turns = inverted && at + count == width;
    less = look_up(
        s, 1,
        [=](unsigned i) {
          const std::uint64_t value = (i & mask) ^ turn;
          const bool before = !first && (i >> count & 1) != 0;
          return static_cast<unsigned>((value < digit || (value == digit && before)) != turns);
        },
        in)[0];
    at += count;
  }
  return less;
}

UInt select_result(Scope& s, const RequantPlan& r, const SliceResult& slice, Net enable) {
  const auto lo = static_cast<std::int64_t>(r.request.clamp.lo);
  const auto hi = static_cast<std::int64_t>(r.request.clamp.hi);
  UInt field = slice.p.slice(static_cast<std::uint32_t>(r.field_lsb),
                             static_cast<std::uint32_t>(r.field_bits));
  Net negative = slice.p.msb();
  const auto end = [&](std::int64_t value) {
    return UInt(s.signed_constant(value, field.width() + 1)).slice(0, field.width());
  };
  Fit fits = fit(s, r, slice);
  Ties tie = ties(s, r, slice);
  const bool compares = r.compare_low || r.compare_high;
  if (r.saturation == Saturation::Pattern && r.tie_fix == TieFix::None && !compares)
    return s.word(mux(fits.zeros | fits.ones, field, mux(negative, end(lo), end(hi))));
  Net below = ir::net_zero, within = ir::net_one;
  // Delays all signals that a later step needs.
  const auto wait = [&](int from, int to) {
    for (; from < to; ++from) {
      field = reg(s, field, {.enable = enable});
      for (Net* n : {&negative, &fits.zeros, &fits.ones, &tie.tie, &below, &within})
        if (!n->is_constant()) *n = reg(s, *n, {.enable = enable});
    }
  };
  wait(r.steps.trees, r.steps.even);
  field = even(s, r, field, tie);
  tie = {};
  wait(r.steps.even, r.steps.compare);
  if (r.compare_low) below = below_constant(s, field, lo, r.field_signed);
  if (r.compare_high) within = below_constant(s, field, hi + 1, r.field_signed);
  wait(r.steps.compare, r.steps.choose);
  if (r.saturation == Saturation::None && !compares) return field;
  // A value outside the field becomes the end of the clamp on the side of its sign. A value in the
  // field but outside the clamp becomes the nearer end.
  const Bit inside = (fits.inverted ? ~fits.zeros : fits.zeros) | fits.ones;
  const Net low = s.net(mux(inside, below, negative));
  const Net high = s.net(mux(inside, ~within, ~negative));
  return s.word(mux(low, end(lo), mux(high, end(hi), field)));
}

}  // namespace kumiki::gen::requant
