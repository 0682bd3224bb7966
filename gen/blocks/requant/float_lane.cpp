// SPDX-License-Identifier: Apache-2.0
// The product is exact. Its rounding to 24 bits changes the result only if it creates a tie. Let w
// = |product| / 2^shift, k the integer below w, and m the position of the leading one of k + 1/2.
// The float equals k + 1/2 exactly if |w - (k + 1/2)| is at most 2^(m - 24), half of the float's
// last bit. (At k = 0, from below, the limit is 2^-26: 1/2 is a power of two, so floats below it
// are closer.) So the bits behind the first bit of the fraction tell whether there is a tie. They
// must be a run of equal bits up to a position that follows from the leading one of k. For negative
// numbers, floor and fraction are mirrored.
#include "gen/blocks/requant/float_lane.h"

#include <fmt/format.h>

#include "gen/arith/float_factor.h"
#include "gen/blocks/requant/select.h"
#include "gen/blocks/requant/wide_product.h"
#include "gen/hdl/chain_parts.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {
namespace {

using arith::FloatFactor;

constexpr std::uint32_t factor_bits = FloatFactor::factor_bits;  // on port A
constexpr std::uint32_t product_width = 32 + factor_bits;        // a sum of 32 bits
constexpr std::uint32_t whole_bits = 8, fraction_bits = 26;      // of what the result is made from
constexpr std::uint32_t window_bits = whole_bits + fraction_bits;  // the sign is above it
constexpr std::uint32_t fine_reach = 3 * FloatFactor::step;        // positions of the last shift
constexpr std::uint32_t coarse_step = 4 * FloatFactor::step;
constexpr std::uint32_t bias_clocks = 2, product_clocks = bias_clocks + 4;  // and two slices

// What the slices multiply.
struct Operands {
  UInt first, second;  // the lower 17 bits of the sum, and the others a clock later
  UInt factor;         // with `first`
};

// The factor without the zeros below its 24 bits, and the sum with them; a clock later.
Operands with_sum_shifted(Scope& s, const Operands& of, Net en) {
  constexpr std::uint32_t least = factor_bits - 2, below = 2;
  const auto held = [&](const UInt& x) { return reg(s, x, {.enable = en}); };
  const Net by_2 = of.factor[least + 1], by_1 = s.net(of.factor[least] & ~by_2);
  // Bits `from` and on of 34, of which the lower two are zeros.
  const auto shifted = [&](const UInt& word, Net one, Net two, std::uint32_t bits) {
    return held(
        s.word(mux(two, word.slice(0, bits), mux(one, word.slice(1, bits), word.slice(2, bits)))));
  };
  const UInt later = bits(s, {reg(s, by_1, {.enable = en}), reg(s, by_2, {.enable = en})});
  const UInt borders = held(of.first.slice(first_slice_bits - below, below));
  const UInt second = as_unsigned(sext(s, as_signed(of.second), of.second.width() + below));
  return {
      .first = shifted(cat(s, {of.first, s.constant(0, below)}), by_1, by_2, first_slice_bits),
      .second = shifted(cat(s, {second, borders}), later[0], later[1], second.width()),
      .factor = held(s.word(mux(by_2, of.factor.slice(2, least),
                                mux(by_1, of.factor.slice(1, least), of.factor.slice(0, least)))))};
}

// The exact product of sum + bias, which three adders make part by part. The first slice takes its
// operand after two parts; the second slice takes its operand a clock later, which matches its
// schedule.
UInt exact_product(Scope& s, const FloatLanePlan& p, const UInt& sum, const UInt& bias,
                   const UInt& factor, Net en) {
  constexpr std::uint32_t n = arith::other_part, below = first_slice_bits - n;
  static_assert(below <= n && arith::chain_clocks(32) == bias_clocks + 1);
  const auto held = [&](const UInt& x, std::uint32_t clocks = 1) {
    return delay(s, x, clocks, en);
  };
  const auto part = [&](std::uint32_t number, std::uint32_t width, Net carry) {
    const auto of = [&](const UInt& w) { return held(w.slice(number * n, width), number); };
    return held(sum_part(s, of(sum), of(bias), carry, false, width == n));
  };
  const UInt low = part(0, n, ir::net_zero), middle = part(1, n, low.msb()),
             high = part(2, 32 - 2 * n, middle.msb());
  Operands of{.first = cat(s, {middle.slice(0, below), held(low.slice(0, n))}),
              .second = cat(s, {high, held(middle.slice(below, n - below))}),
              .factor = factor};
  if (p.shifts_sum) of = with_sum_shifted(s, of, en);
  const Word a = zext(s, of.factor, dsp48e2.a);
  return wide_product(
      s, {.a = a, .b = zext(s, of.first, dsp48e2.b)},
      {.attributes = {.areg = 2}, .a = a, .b = sext(s, as_signed(of.second), dsp48e2.b)},
      product_width, en);
}

// Four windows of a word, `step` positions apart, the lowest from `first` on. The bits outside the
// chosen window become one bit on either side. `beyond`: some bit above it differs from the sign.
// `rest`: some bit below it is not 0. Together the windows hold all bits except copies of the sign.
struct Shifted {
  UInt window;
  Bit beyond, rest;  // of registers
};
Shifted shifted(Scope& s, const UInt& word, std::int64_t first, std::uint32_t width,
                std::uint32_t step, const UInt& index, Net sign, Net en) {
  const auto part = [&](std::int64_t from, std::int64_t length) {
    std::vector<Net> nets;
    for (std::int64_t i = from; i < from + length; ++i)
      nets.push_back(i < 0              ? ir::net_zero
                     : i < word.width() ? word[static_cast<std::uint32_t>(i)]
                                        : sign);
    return nets;
  };
  std::vector<UInt> windows;
  for (std::int64_t i = 0; i < 4; ++i) windows.push_back(bits(s, part(first + i * step, width)));
  const Bit passed[] = {index[0] | index[1], index[1], index[0] & index[1]};  // 0, 1, 2
  Shifted out{.window = select(s, index, std::span<const UInt>(windows))};
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t from = first + i * step;
    const auto held = [&](const Bit& x) { return reg(s, x, {.enable = en}); };
    out.beyond |= held(some_differ(s, part(from + width, step), sign) & ~passed[i]);
    out.rest |= held(some_differ(s, part(from, step), ir::net_zero) & passed[i]);
  }
  return out;
}

// The product around the binary point: the sign, the bits before the point and those behind it.
struct Pointed {
  Net negative;
  UInt whole, fraction;
  Bit beyond;  // the bits above are not all the sign: larger than any result
  Bit rest;    // the bits below are not all 0
  // Digit i of the fraction, from 1 on: 2^-i.
  Net digit(std::uint32_t i) const { return fraction[fraction_bits - i]; }
};

Pointed at_point(Scope& s, const UInt& product, const UInt& steps, Net en) {
  const Net sign = product.msb();
  const std::int64_t first = FloatFactor::least_shift - std::int64_t{fraction_bits};
  const Shifted coarse = shifted(s, product, first, window_bits + fine_reach, coarse_step,
                                 steps.slice(2, 2), sign, en);
  const Shifted fine =
      shifted(s, coarse.window, 0, window_bits, FloatFactor::step, steps.slice(0, 2), sign, en);
  const auto held = [&](const auto& x) { return reg(s, x, {.enable = en}); };
  const UInt window = held(fine.window);
  return {.negative = held(sign),
          .whole = window.slice(fraction_bits, whole_bits),
          .fraction = window.slice(0, fraction_bits),
          .beyond = coarse.beyond | fine.beyond,
          .rest = coarse.rest | fine.rest};
}

// Registered bits that decide whether the float has a tie. In a tie, the digits behind a 1 are all
// 0, and the digits behind a 0 are all 1.
struct Digits {
  std::vector<Net> always;  // one of the digits 2 to 16 (relevant for every k) does not fit a tie
  std::vector<Net> counts;  // another relevant digit does not fit a tie; two digits each
  std::vector<Net> edge;    // the last relevant digit is 1; all others, including those behind it,
                            // are 0
  Net half;                 // the first digit
};

Digits digits_of(Scope& s, const Pointed& p, Net en) {
  const auto held = [&](const Bit& x) { return reg(s, x, {.enable = en}); };
  const Net half = p.digit(1), sign = p.negative;
  const auto off = [&](std::uint32_t i) { return ~(p.digit(i) ^ half); };
  const auto size = [&](std::uint32_t i) { return p.whole[i] ^ sign; };  // bit i of k
  Digits d{.half = held(half)};
  for (std::uint32_t i = 2; i <= 16; i += 5) {
    Bit five = ir::net_zero;
    for (std::uint32_t j = i; j < i + 5; ++j) five |= off(j);
    d.always.push_back(held(five));
  }
  // k < 2^n, n even. Two levels of LUTs, so not every net depends on the one before.
  const Net below_64 = s.net(~size(7) & ~size(6));
  const Net below_16 = s.net(~size(7) & ~size(6) & ~size(5) & ~size(4));
  const Net below_4 = s.net(below_16 & ~size(3) & ~size(2));
  const Net is_0 = s.net(below_16 & ~size(3) & ~size(2) & ~size(1) & ~size(0));
  const Net small[] = {ir::net_one, below_64, below_16, below_4, is_0};
  // Digit i from 17 to 25 is relevant if k < 2^(25 - i). Digit 26 is relevant if k is 0 and the tie
  // is at the far end of a half.
  for (std::uint32_t i = 17; i <= 25; i += 2) {
    const Net here = small[(i - 17) / 2];  // digit i is relevant
    const bool last = i == 25;
    const Bit next = last ? ~(half ^ sign) : ~size(24 - i);  // digit i + 1 counts as well
    const Bit none_after = last ? Bit(ir::net_zero) : ~size(24 - i) & ~size(23 - i);
    d.counts.push_back(held(here & (off(i) | (off(i + 1) & next))));
    // In an edge `half` is 1.
    const Bit after = last ? Bit(sign) : next;
    const Bit nothing_below = last ? ~s.net(p.rest) : Bit(ir::net_one);
    d.edge.push_back(held(nothing_below & ~(p.digit(i) ^ (here & ~after)) &
                          ~(p.digit(i + 1) ^ (here & after & ~none_after))));
  }
  return d;
}

// What is added to the whole number: the first digit of the fraction, or in a tie the bit that
// makes the result even.
Net rounds_up(Scope& s, const Digits& d, Net odd) {
  // The last LUT has room for two of the digits that are always relevant. The third one enters both
  // other terms.
  Bit counts = d.always[2], edge = ~Bit(d.always[2]);
  for (const Net n : d.counts) counts |= n;
  for (const Net n : d.edge) edge &= n;
  const Bit tie = ~d.always[0] & ~d.always[1] & (~s.net(counts) | (d.half & s.net(edge)));
  return s.net(mux(tie, odd, d.half));
}

// Adds whole number, zero point and rounding bit; nothing wraps. A number of more than 8 bits
// becomes the extreme one: no zero point brings it inside the bounds.
SInt with_zero(Scope& s, Net beyond, Net sign, const UInt& whole, const UInt& zero, Net up) {
  constexpr std::uint32_t above = 2;
  const UInt other = as_unsigned(sext(s, as_signed(zero), whole_bits + above));
  const UInt inside = lut_o6(
      s,
      [](bool more, bool negative, bool digit, bool z) { return (more ? !negative : digit) != z; },
      SourceLocation::current(), beyond, sign, whole, other.slice(0, whole_bits));
  const UInt top = lut_o6(
      s, [](bool negative, bool z) { return negative != z; }, SourceLocation::current(), sign,
      other.slice(whole_bits, above));
  return as_signed(carry_chain(s, cat(s, {top, inside}), other, up).sum);
}

}  // namespace

std::string FloatLanePlan::module_name() const {
  return fmt::format("pe_lane_f32_b{}{}", data_bits, shifts_sum ? "_short" : "");
}

FloatLaneOut<Hardware> build_float_lane(Scope& s, const FloatLanePlan& p,
                                        const FloatLaneIn<Hardware>& in) {
  s.module().set_about(
      fmt::format("a word of the output as float32 rounds it, {} clocks", p.latency()));
  const auto held = [&](const auto& x) { return reg(s, x, {.enable = in.en}); };
  const UInt factor = delay(s, in.parameter.slice(32, factor_bits), bias_clocks, in.en);
  const UInt steps = delay(s, in.parameter.slice(32 + factor_bits, FloatFactor::step_bits),
                           product_clocks + (p.shifts_sum ? 1 : 0), in.en);
  const UInt product = exact_product(s, p, in.sum, in.parameter.slice(0, 32), factor, in.en);
  const Pointed pointed = at_point(s, product, steps, in.en);

  const Digits digits = digits_of(s, pointed, in.en);
  Net sign = held(pointed.negative), beyond = held(pointed.beyond);
  UInt whole = held(pointed.whole);
  const Net up = held(rounds_up(s, digits, whole[0]));
  sign = held(sign), beyond = held(beyond), whole = held(whole);
  const SInt number = held(with_zero(s, beyond, sign, whole, in.zero, up));

  const auto widened = [&](const UInt& w) { return sext(s, as_signed(w), number.width()); };
  const Net to_high = less(s, widened(in.high), number), to_low = less(s, number, widened(in.low));
  const UInt q = as_unsigned(number).slice(0, static_cast<std::uint32_t>(p.data_bits));
  return {.q = held(s.word(mux(to_high, in.high, mux(to_low, in.low, q))))};
}

}  // namespace kumiki::gen::requant
