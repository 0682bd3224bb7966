// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/select.h"

namespace kumiki::gen::requant {
namespace {

// Selects the result: the low end of the clamp, the high end, or the field when both are 0.
struct Choice {
  Net low, high;
};

// Whether the bits above the field agree with its sign (are 0 where it has none).
struct Fit {
  Net zeros = ir::net_one, ones = ir::net_zero;  // fits when one of them is 1 ...
  bool inverted = false;                         // ... with `zeros` the other way round
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

// The field with the last bit of a tie made even: set when the bits below are all 1, cleared when
// none is.
UInt even(Scope& s, const RequantPlan& r, const UInt& field, const SliceResult& slice) {
  if (r.tie_fix == TieFix::None) return field;
  const bool set = r.tie_fix == TieFix::SetLsb;
  const bool inverted = r.ties_in_luts && !set;
  const UInt below = slice.p.slice(0, static_cast<std::uint32_t>(r.request.shift));
  const Net tie = !r.ties_in_luts ? slice.detect : set ? all_of(s, below) : any_of(s, below);
  const Bit fix = inverted ? ~tie : tie;
  const Net low = s.net(set ? field[0] | fix : field[0] & ~fix);
  if (field.width() == 1) return bits(s, {low});
  return cat(s, {field.slice(1, field.width() - 1), bits(s, {low})});
}

// A value outside the field goes to the end of the clamp on the side of its sign; a value in the
// field but outside the clamp goes to the nearer end.
Choice choose(Scope& s, const RequantPlan& r, const Fit& fits, Net negative, const UInt& field) {
  const auto lo = static_cast<std::int64_t>(r.request.clamp.lo);
  const auto hi = static_cast<std::int64_t>(r.request.clamp.hi);
  const Net below = r.compare_low ? below_constant(s, field, lo, r.field_signed) : ir::net_zero;
  const Net within =
      r.compare_high ? below_constant(s, field, hi + 1, r.field_signed) : ir::net_one;
  const Bit inside = (fits.inverted ? ~fits.zeros : fits.zeros) | fits.ones;
  return {s.net(mux(inside, below, negative)), s.net(mux(inside, ~within, ~negative))};
}

}  // namespace

Net below_constant(Scope& s, const UInt& word, std::int64_t bound, bool is_signed) {
  const std::uint32_t width = word.width();
  // With its sign bit inverted a signed word reads as an unsigned one, 2^(width-1) higher.
  const std::int64_t half = is_signed ? std::int64_t{1} << (width - 1) : 0;
  if (bound + half <= 0) return ir::net_zero;
  if (bound + half >= std::int64_t{1} << width) return ir::net_one;
  const auto limit = static_cast<std::uint64_t>(bound + half);
  const auto flip = static_cast<std::uint64_t>(half);
  Net less = ir::net_zero;
  for (std::uint32_t at = 0; at < width; at += 5) {
    std::array<Net, 5> in;
    in.fill(ir::net_zero);
    const std::uint32_t count = std::min(5u, width - at);
    for (std::uint32_t k = 0; k < count; ++k) in[k] = word[at + k];
    const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
    const std::uint64_t digit = limit >> at & mask, turn = flip >> at & mask;
    less = lut(
        s,
        [=](bool a, bool b, bool c, bool d, bool e, bool before) {
          const std::uint64_t value = (a | b << 1 | c << 2 | d << 3 | e << 4) ^ turn;
          return value < digit || (value == digit && before);
        },
        in[0], in[1], in[2], in[3], in[4], less);
  }
  return less;
}

UInt select_result(Scope& s, const RequantPlan& r, const SliceResult& slice) {
  const UInt field = slice.p.slice(static_cast<std::uint32_t>(r.field_lsb),
                                   static_cast<std::uint32_t>(r.field_bits));
  const Net negative = slice.p.msb();
  const UInt lo =
      UInt(s.signed_constant(static_cast<std::int64_t>(r.request.clamp.lo), field.width() + 1))
          .slice(0, field.width());
  const UInt hi =
      UInt(s.signed_constant(static_cast<std::int64_t>(r.request.clamp.hi), field.width() + 1))
          .slice(0, field.width());
  const Fit fits = fit(s, r, slice);
  const bool compares = r.compare_low || r.compare_high;
  if (r.saturation == Saturation::Pattern && r.tie_fix == TieFix::None && !compares)
    return s.word(mux(fits.zeros | fits.ones, field, mux(negative, lo, hi)));
  const UInt made = even(s, r, field, slice);
  if (r.saturation == Saturation::None && !compares) return made;
  const Choice choice = choose(s, r, fits, negative, made);
  return s.word(mux(choice.low, lo, mux(choice.high, hi, made)));
}

}  // namespace kumiki::gen::requant
