// SPDX-License-Identifier: Apache-2.0
// The product is exact; its rounding to 24 bits shows in the result only where it makes a tie. With
// w = |product| / 2^shift, k the integer below it and m the place of the leading one of k + 1/2,
// the float is k + 1/2 exactly where w is at most 2^(m - 24) away from it, half of the float's last
// bit (at k = 0 from below at most 2^-26: 1/2 is a power of two, floats below it are closer). So
// the bits behind the first one of the fraction say whether it is a tie: a run of equal ones, up to
// a place that the leading one of k gives. Below 0 floor and fraction mirror it.
#include "gen/blocks/requant/float_lane.h"

#include <fmt/format.h>

#include "gen/arith/float_factor.h"
#include "gen/blocks/requant/wide_product.h"
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

UInt exact_product(Scope& s, const UInt& biased, const UInt& factor, Net en) {
  const SInt upper = as_signed(biased.slice(first_slice_bits, 32 - first_slice_bits));
  return wide_product(
      s, {.a = zext(s, factor, 30), .b = zext(s, biased.slice(0, first_slice_bits), 18)},
      {.a = zext(s, factor, 30), .b = sext(s, upper, 18)}, product_width, en);
}

// Whether some of the nets differ from `all`, five in a LUT.
Bit some_differ(Scope& s, const std::vector<Net>& nets, Net all) {
  Bit any = ir::net_zero;
  for (std::size_t i = 0; i < nets.size(); i += 5) {
    Bit five = ir::net_zero;
    for (std::size_t j = i; j < std::min(i + 5, nets.size()); ++j) five |= nets[j] ^ all;
    any |= s.net(five);
  }
  return any;
}

// Four windows of a word, `step` positions apart, the lowest of them from `first` on. What is
// outside of the chosen one becomes a bit on either side: above it some bit is not the sign, below
// it some bit is not 0. The windows together have all bits but copies of the sign.
struct Shifted {
  UInt window;
  Bit beyond, rest;
};
Shifted shifted(Scope& s, const UInt& word, std::int64_t first, std::uint32_t width,
                std::uint32_t step, const UInt& index, Net sign) {
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
    out.beyond |= s.net(some_differ(s, part(from + width, step), sign) & ~passed[i]);
    out.rest |= s.net(some_differ(s, part(from, step), ir::net_zero) & passed[i]);
  }
  return out;
}

// Around the point: the sign, the bits before it and those behind it.
struct Pointed {
  Net negative;
  UInt whole, fraction;
  Net beyond;  // the bits above are not all the sign: more than any result
  Net rest;    // the bits below are not all 0
  // Digit i of the fraction, from 1 on: 2^-i.
  Net digit(std::uint32_t i) const { return fraction[fraction_bits - i]; }
};

Pointed at_point(Scope& s, const UInt& product, const UInt& steps, Net en) {
  const Net sign = product.msb();
  const std::int64_t first = FloatFactor::least_shift - std::int64_t{fraction_bits};
  const Shifted coarse =
      shifted(s, product, first, window_bits + fine_reach, coarse_step, steps.slice(2, 2), sign);
  const Shifted fine =
      shifted(s, coarse.window, 0, window_bits, FloatFactor::step, steps.slice(0, 2), sign);
  const auto held = [&](const auto& x) { return reg(s, x, {.enable = en}); };
  const UInt window = held(fine.window);
  return {.negative = held(sign),
          .whole = window.slice(fraction_bits, whole_bits),
          .fraction = window.slice(0, fraction_bits),
          .beyond = held(coarse.beyond | fine.beyond),
          .rest = held(coarse.rest | fine.rest)};
}

// What is added to the whole number: the first digit of the fraction, and in a tie what makes it
// even.
Net rounds_up(Scope& s, const Pointed& p) {
  const Net half = p.digit(1), sign = p.negative;
  // A digit that is not as it is in a tie: behind a 1 all 0, behind a 0 all 1.
  const auto off = [&](std::uint32_t i) { return ~(p.digit(i) ^ half); };
  const auto size = [&](std::uint32_t i) { return p.whole[i] ^ sign; };  // bit i of k

  // Digits 2 to 16 count for every k.
  Bit always = ir::net_zero;
  for (std::uint32_t i = 2; i <= 16; i += 5) {
    Bit five = ir::net_zero;
    for (std::uint32_t j = i; j < i + 5; ++j) five |= off(j);
    always |= s.net(five);
  }
  // Digit i from 17 to 25 counts when k < 2^(25 - i), digit 26 when k is 0 and the tie is the far
  // end of a half. Two digits at a time; `small`: k < 2^(25 - i) for the first of the two. `edge`:
  // the last digit that counts is 1 and all others, those behind it too, are 0.
  Bit counts = ir::net_zero, edge = ir::net_one;
  Net small = ir::net_one;
  for (std::uint32_t i = 17; i <= 25; i += 2) {
    const bool last = i == 25;
    const Bit next = last ? ~(half ^ sign) : ~size(24 - i);  // digit i + 1 counts as well
    const Bit none_after = last ? Bit(ir::net_zero) : ~size(24 - i) & ~size(23 - i);
    counts |= s.net(small & (off(i) | (off(i + 1) & next)));
    // In an edge `half` is 1.
    const Bit after = last ? Bit(sign) : next;
    edge &=
        s.net(~(p.digit(i) ^ (small & ~after)) & ~(p.digit(i + 1) ^ (small & after & ~none_after)));
    if (!last) small = s.net(small & none_after);
  }
  const Net all_alike = s.net(~always);
  const Net tie_behind_1 = s.net(edge & ~p.rest);
  const Bit tie = all_alike & (~s.net(counts) | (half & tie_behind_1));
  return s.net(mux(tie, p.whole[0], half));
}

}  // namespace

std::string FloatLanePlan::module_name() const { return fmt::format("pe_lane_f32_b{}", data_bits); }

FloatLaneOut<Hardware> build_float_lane(Scope& s, const FloatLanePlan& p,
                                        const FloatLaneIn<Hardware>& in) {
  s.module().set_about(fmt::format("a word of the output as float32 rounds it, {} clocks",
                                   FloatLanePlan::latency()));
  const auto held = [&](const auto& x) { return reg(s, x, {.enable = in.en}); };
  const UInt biased = held(add(s, in.sum, in.parameter.slice(0, 32)));
  const UInt factor = held(in.parameter.slice(32, factor_bits));
  const UInt steps =
      delay(s, in.parameter.slice(32 + factor_bits, FloatFactor::step_bits), 5, in.en);
  const Pointed pointed = at_point(s, exact_product(s, biased, factor, in.en), steps, in.en);

  const Net up = held(rounds_up(s, pointed));
  const Net sign = held(pointed.negative), beyond = held(pointed.beyond);
  const UInt whole = held(pointed.whole);

  const std::uint32_t wide = whole_bits + 2;  // with a zero point of 8 bits
  const auto widened = [&](const UInt& w) { return sext(s, as_signed(w), wide); };
  const SInt number = add(s, widened(cat(s, {bits(s, {sign}), whole})), widened(in.zero), up);
  const SInt low = widened(in.low), high = widened(in.high);
  const Net to_high = s.net(mux(beyond, ~sign, less(s, high, number)));
  const Net to_low = s.net(mux(beyond, sign, less(s, number, low)));
  const UInt q = as_unsigned(number).slice(0, static_cast<std::uint32_t>(p.data_bits));
  return {.q = held(s.word(mux(to_high, in.high, mux(to_low, in.low, q))))};
}

}  // namespace kumiki::gen::requant
