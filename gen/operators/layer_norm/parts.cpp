// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/layer_norm/parts.h"

#include "gen/blocks/requant/wide_product.h"
#include "gen/hdl/dsp.h"

namespace kumiki::gen {
namespace {

using graph::NormIntegers;
using requant::upper_product;

constexpr std::uint32_t low_bits = requant::first_slice_bits;
static_assert(low_bits == NormIntegers::part_bits);
constexpr auto cascade = ir::dsp48e2::Path::cascade;

// The nearest number of so many bits, in three levels.
UInt clamped(Scope& s, const SInt& number, std::uint32_t width, bool is_signed) {
  if (!is_signed) return saturate_unsigned(s, number, width);
  // Bits from the new sign on that differ from the sign.
  const Net sign = number.msb();
  std::vector<Net> differ;
  for (std::uint32_t low = width - 1; low + 1 < number.width(); low += 5) {
    const auto bit = [&](std::uint32_t i) {
      return low + i < number.width() ? number[low + i] : sign;
    };
    differ.push_back(lut(
        s,
        [](bool a, bool b, bool c, bool d, bool e, bool wanted) {
          return a != wanted || b != wanted || c != wanted || d != wanted || e != wanted;
        },
        bit(0), bit(1), bit(2), bit(3), bit(4), sign));
  }
  const Net is_outside = any_of(s, differ);
  const UInt rest = lut(
      s, [](bool outside, bool negative, bool x) { return outside ? !negative : x; }, is_outside,
      sign, number.slice(0, width - 1));
  return cat(s, {Word(bits(s, {sign})), Word(rest)});
}

}  // namespace

UInt raised(Scope& s, const UInt& number, std::uint32_t places) {
  return places == 0 ? number : cat(s, {Word(number), Word(s.constant(0, places))});
}

SInt variance_of(Scope& s, const UInt& squares, const SInt& sum, const UInt& size) {
  const auto first = Dsp48e2{.a = zext(s, squares, dsp48e2.a),
                             .b = zext(s, size, dsp48e2.b),
                             .opmode = OpMode::product}
                         .add_to(s);
  return Dsp48e2{.attributes = {.areg = 2, .acascreg = 2, .breg = 2, .bcascreg = 2},
                 .a = sext(s, sum, dsp48e2.a),
                 .b = sum,
                 .pcin = first.pcout,
                 .opmode = OpMode::with_below,
                 .alumode = OpMode::z_minus_others}
      .add_to(s)
      .p;
}

ReciprocalRoot reciprocal_root(Scope& s, const UInt& sum, int steps) {
  UInt word = sum;
  std::vector<Word> shifts;  // of the steps, the largest first
  for (int step = steps; step-- > 0;) {
    const std::uint32_t places = 2u << step, width = word.width();
    const Net stays = any_of(s, word.slice(width - places, places));
    const UInt raised_word = raised(s, word.slice(0, width - places), places);
    word = reg(s, mux(s, stays, word, raised_word));
    for (Word& earlier : shifts) earlier = reg(s, UInt(earlier));
    shifts.push_back(reg(s, bits(s, {s.net(~stays)})));
  }
  const UInt w = word.slice(NormIntegers::sum_bits - NormIntegers::w_bits, NormIntegers::w_bits);
  // A line of the curve.
  std::vector<std::uint64_t> lines;
  for (const NormIntegers::Line& line : NormIntegers::lines())
    lines.push_back(static_cast<std::uint64_t>(line.at) | static_cast<std::uint64_t>(line.slope)
                                                              << NormIntegers::at_bits);
  const UInt line =
      Memory{.depth = static_cast<std::uint32_t>(lines.size()),
             .width = NormIntegers::at_bits + NormIntegers::slope_bits,
             .read = ir::memory::twice_registered,
             .contents = lines,
             .read_address = w.slice(NormIntegers::part_bits, NormIntegers::line_bits)}
          .add_to(s);
  const UInt at = reg(s, line.slice(0, NormIntegers::at_bits));
  const auto on_line =
      Dsp48e2{.attributes = {.breg = 2, .bcascreg = 2},
              .a = zext(s, line.slice(NormIntegers::at_bits, NormIntegers::slope_bits), dsp48e2.a),
              .b = zext(s, delay(s, w.slice(0, NormIntegers::part_bits), 1), dsp48e2.b),
              .c = zext(s, raised(s, at, NormIntegers::part_bits), dsp48e2.c),
              .opmode = OpMode::with_c,
              .alumode = OpMode::z_minus_others}
          .add_to(s);
  // Five clocks after w. A step of Newton's method follows.
  const UInt root = on_line.p.slice(20, low_bits);
  const auto square =
      Dsp48e2{
          .a = zext(s, root, dsp48e2.a), .b = zext(s, root, dsp48e2.b), .opmode = OpMode::product}
          .add_to(s);
  const UInt late = delay(s, w, 8);
  const SInt rest = upper_product(
      s, {.a = zext(s, late, dsp48e2.a), .b = zext(s, square.p.slice(0, low_bits), dsp48e2.b)},
      {.attributes = {.breg = 2,
                      .bcascreg = 2,
                      .a_input = cascade,
                      .rnd = arith::raw_of(-(std::int64_t{1} << 41), dsp48e2.p)},
       .b = zext(s, square.p.slice(low_bits, low_bits), dsp48e2.b),
       .opmode = OpMode::constant},
      ir::net_one);
  const UInt for_product = delay(s, root, 7), for_sum = reg(s, for_product);
  const UInt minuend =
      cat(s, {Word(for_sum), Word(s.constant(1u << 21, NormIntegers::rest_point))});
  const auto made = Dsp48e2{.a = zext(s, for_product, dsp48e2.a),
                            .b = rest.slice(12, dsp48e2.b),
                            .c = zext(s, minuend, dsp48e2.c),
                            .opmode = OpMode::with_c,
                            .alumode = OpMode::z_minus_others}
                        .add_to(s);
  return {.shift = steps == 0 ? UInt{} : cat(s, shifts),
          .root = made.p.slice(22, NormIntegers::root_bits)};
}

UInt normal_result(Scope& s, const NormalIn& in, const arith::Format& format, Net enable) {
  const SInt normal = upper_product(s,
                                    {.attributes = {.breg = 2, .bcascreg = 2},
                                     .a = sext(s, in.difference, dsp48e2.a),
                                     .b = zext(s, in.lower, dsp48e2.b)},
                                    {.attributes = {.breg = 2, .bcascreg = 2, .a_input = cascade},
                                     .b = zext(s, in.upper, dsp48e2.b)},
                                    enable);
  const UInt bias = raised(s, as_unsigned(in.bias), NormIntegers::shift - NormIntegers::point_bits);
  const SInt scaled = upper_product(
      s, {.a = sext(s, in.factor, dsp48e2.a), .b = zext(s, normal.slice(0, low_bits), dsp48e2.b)},
      {.attributes = {.breg = 2, .bcascreg = 2, .a_input = cascade},
       .b = normal.slice(low_bits, NormIntegers::normal_bits - low_bits),
       .c = sext(s, as_signed(bias), dsp48e2.c),
       .opmode = OpMode::w_is_c},
      enable);
  const SInt rounded =
      as_signed(scaled.slice(NormIntegers::shift, dsp48e2.p - NormIntegers::shift));
  return reg(s, clamped(s, rounded, static_cast<std::uint32_t>(format.bits), format.is_signed),
             {.enable = enable});
}

}  // namespace kumiki::gen
