// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/wide_product.h"
#include "gen/hdl/cycle.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/requantise_lanes.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "gen/operators/layer_norm/machine.h"

namespace kumiki::gen::pipeline {
namespace {

using graph::NormIntegers;
using requant::upper_product;

constexpr std::uint32_t low_bits = requant::first_slice_bits;
static_assert(low_bits == NormIntegers::part_bits);
// What the slice adds: the product; C as well, or the slice below; a constant, or C.
struct OpMode {
  static constexpr std::uint16_t product = 0b00'000'01'01, with_c = 0b00'011'01'01,
                                 with_below = 0b00'001'01'01, constant = 0b10'000'00'00,
                                 w_is_c = 0b11'000'00'00;
};
constexpr auto cascade = ir::dsp48e2::Path::cascade;
constexpr std::uint8_t z_minus_others = 0b0011, others_minus_z = 0b0001;

// A number less `center`: the highest bit of unsigned numbers turns into a sign.
SInt centered(Scope& s, const UInt& number, std::int64_t center) {
  if (center == 0) return as_signed(number);
  std::vector<Net> all;
  for (std::uint32_t i = 0; i + 1 < number.width(); ++i) all.push_back(number[i]);
  all.push_back(s.net(~number.msb()));
  return as_signed(bits(s, all));
}

// number * 2^places, in so many bits.
UInt raised(Scope& s, const UInt& number, std::uint32_t places) {
  return places == 0 ? number : cat(s, {Word(number), Word(s.constant(0, places))});
}

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

MachineOut<Hardware> build(Scope& s, const MomentsPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const GroupedStream groups = p.groups();
  GroupBeats beats(s, groups, in);
  Word cascade;
  UInt sum;
  const std::int64_t lanes = p.stream.lanes;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    UInt raw = as_unsigned(centered(s, in.in_data[static_cast<std::size_t>(lane)], p.center));
    if (groups.is_past(lane)) raw = s.word(raw & ~beats.is_last());
    const SInt number = as_signed(delay(s, raw, static_cast<std::uint32_t>(lane)));
    Dsp48e2 cell{.attributes = {.areg = 0,
                                .acascreg = 0,
                                .breg = 2,
                                .bcascreg = 2,
                                .amultsel = ir::dsp48e2::AMultSel::ad},
                 .a = s.signed_constant(std::int64_t{1} << MomentsPlan::squares_bits, dsp48e2.a),
                 .b = sext(s, number, dsp48e2.b),
                 .d = sext(s, number, dsp48e2.d),
                 .pcin = cascade,
                 .opmode = lane == 0 ? OpMode::product : OpMode::with_below,
                 .inmode = 0b00100};  // A + D
    if (lane + 1 == lanes) beats.add_up(s, cell, 2 + lanes, in.rst);
    const auto out = cell.add_to(s);
    cascade = out.pcout;
    sum = as_unsigned(out.p);
  }
  const auto width = static_cast<std::uint32_t>(p.output().format.bits);
  return beats.leave(s, p.schedule(), sum.slice(0, width), in);
}

MachineOut<Hardware> build(Scope& s, const RootPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const NormIntegers& n = p.integers;
  GroupBeats beats(s, {p.stream}, in);
  const UInt squares = in.in_data[0].slice(0, MomentsPlan::squares_bits);
  const UInt sum = in.in_data[0].slice(MomentsPlan::squares_bits, RootPlan::sum_bits);
  // The variance, and with its point and epsilon.
  const auto first = Dsp48e2{.a = zext(s, squares, dsp48e2.a),
                             .b = s.constant(static_cast<std::uint64_t>(n.size), dsp48e2.b),
                             .opmode = OpMode::product}
                         .add_to(s);
  const auto variance = Dsp48e2{.attributes = {.areg = 2, .acascreg = 2, .breg = 2, .bcascreg = 2},
                                .a = sext(s, as_signed(sum), dsp48e2.a),
                                .b = as_signed(sum),
                                .pcin = first.pcout,
                                .opmode = OpMode::with_below,
                                .alumode = z_minus_others}
                            .add_to(s);
  const auto point = static_cast<std::uint32_t>(n.point);
  const UInt with_point = raised(s, variance.p.slice(0, dsp48e2.p - point), point);
  const auto total = Dsp48e2{.attributes = {.mreg = 0,
                                            .use_mult = ir::dsp48e2::UseMult::none,
                                            .rnd = static_cast<std::uint64_t>(n.epsilon)},
                             .a = with_point.slice(dsp48e2.b, dsp48e2.a),
                             .b = with_point.slice(0, dsp48e2.b),
                             .opmode = OpMode::constant | 0b11}
                         .add_to(s);
  UInt word = total.p.slice(0, NormIntegers::sum_bits);
  std::vector<UInt> shifts;  // of the steps, the largest first
  for (int step = p.steps(); step-- > 0;) {
    const std::uint32_t places = 2u << step, width = word.width();
    const Net stays = any_of(s, word.slice(width - places, places));
    const UInt raised_word = raised(s, word.slice(0, width - places), places);
    word = reg(s, mux(s, stays, word, raised_word));
    for (UInt& earlier : shifts) earlier = reg(s, earlier);
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
              .alumode = z_minus_others}
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
                            .alumode = z_minus_others}
                        .add_to(s);
  // The result of so many clocks, and what has waited as long.
  std::vector<Word> high_to_low{delay(s, sum, static_cast<std::uint32_t>(21 + p.steps()))};
  for (const UInt& one : shifts) high_to_low.push_back(delay(s, one, 15));
  high_to_low.push_back(made.p.slice(22, NormIntegers::root_bits));
  return beats.leave(s, p.schedule(), cat(s, high_to_low), in);
}

MachineOut<Hardware> build(Scope& s, const NormalPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const NormIntegers& n = p.integers;
  Stages stages(s, in, p.stream.lanes, p.schedule());
  const Net moves = stages.moves(0);
  // What a pixel needs, in a register; n and the sum are shifted a clock later.
  constexpr std::uint32_t root_bits = NormIntegers::root_bits;
  const auto steps = static_cast<std::uint32_t>(p.root.bits) - root_bits - RootPlan::sum_bits;
  const UInt word = reg(s, in.in_data.back(), {.enable = stages.takes(0, 1)});
  const UInt shift = word.slice(root_bits, steps);
  DelayLine<UInt> root(s, word.slice(0, root_bits), moves);
  const auto more = static_cast<std::uint32_t>(n.more_shift);
  const UInt size = look_up(
      s, dsp48e2.a, [&](unsigned by) { return static_cast<std::uint64_t>(n.size) << (by + more); },
      shift.nets());
  const UInt wide(sext(s, as_signed(word.slice(root_bits + steps, RootPlan::sum_bits)),
                       RootPlan::sum_bits + (1u << steps) - 1));
  const UInt sum =
      reg(s, raised(s, steps == 0 ? wide : shift_left(s, wide, shift), more), {.enable = moves});
  // The block of a beat, in the clock in which the lane needs its constants.
  UInt block;
  if (p.stream.blocks() > 1) {
    const Net takes = s.net(in.in_valid[0] & stages.takes(0, 0));
    block = reg(s, Cycle(s, p.stream.blocks(), takes, in.rst).at(), {.enable = stages.takes(0, 0)});
  }
  DelayLine<UInt> blocks(s, block, moves);
  const int late = requant::clocks_of_constants(index_bits(p.stream));
  arith::Interval biases = arith::Interval::point(0);
  for (const std::int64_t b : n.biases) biases = hull(biases, arith::Interval::point(b));
  const int bias_bits = arith::signed_bits(biases);
  const auto shift_of_result = static_cast<std::uint32_t>(n.shift);
  std::vector<UInt> results;
  for (std::int64_t i = 0; i < p.stream.lanes; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    const Net enable = stages.moves(i);
    const auto constants = [&](const std::vector<std::int64_t>& all, int width, int clocks) {
      std::vector<std::uint64_t> of_blocks;
      for (std::int64_t b = 0; b < p.stream.blocks(); ++b)
        of_blocks.push_back(
            arith::raw_of(all[static_cast<std::size_t>(channel_of(p.stream, lane, b))], width));
      const UInt at = p.stream.blocks() > 1 ? blocks.after(clocks - late) : UInt{};
      return as_signed(of_block(s, p.stream, static_cast<std::uint32_t>(width), of_blocks,
                                {.enable = enable, .number = {}, .block = at}));
    };
    const SInt number = centered(s, in.in_data[lane], n.center);
    const auto difference = Dsp48e2{.attributes = {.breg = 2, .bcascreg = 2, .carryinreg = 0},
                                    .a = size,
                                    .b = sext(s, number, dsp48e2.b),
                                    .c = sext(s, as_signed(sum), dsp48e2.c),
                                    .carryin = ir::net_one,
                                    .opmode = OpMode::with_c,
                                    .alumode = others_minus_z,
                                    .enable = enable,
                                    .ceb1 = stages.takes(i, 0)}
                                .add_to(s);
    const SInt d = as_signed(difference.p.slice(0, NormIntegers::difference_bits));
    const UInt lower = root.after(2).slice(0, low_bits),
               upper = root.after(3).slice(low_bits, root_bits - low_bits);
    const SInt normal = upper_product(s,
                                      {.attributes = {.breg = 2, .bcascreg = 2},
                                       .a = sext(s, d, dsp48e2.a),
                                       .b = zext(s, lower, dsp48e2.b)},
                                      {.attributes = {.breg = 2, .bcascreg = 2, .a_input = cascade},
                                       .b = zext(s, upper, dsp48e2.b)},
                                      enable);
    const SInt bias = constants(n.biases, bias_bits, 9);
    const SInt raised_bias =
        as_signed(raised(s, as_unsigned(bias), shift_of_result - NormIntegers::point_bits));
    const SInt factor = constants(n.factors, NormIntegers::factor_bits, 7);
    const SInt scaled = upper_product(
        s, {.a = sext(s, factor, dsp48e2.a), .b = zext(s, normal.slice(0, low_bits), dsp48e2.b)},
        {.attributes = {.breg = 2, .bcascreg = 2, .a_input = cascade},
         .b = normal.slice(low_bits, NormIntegers::normal_bits - low_bits),
         .c = sext(s, raised_bias, dsp48e2.c),
         .opmode = OpMode::w_is_c},
        enable);
    const SInt rounded = as_signed(scaled.slice(shift_of_result, dsp48e2.p - shift_of_result));
    const auto width = static_cast<std::uint32_t>(p.format.bits);
    const UInt result = clamped(s, rounded, width, p.format.is_signed);
    results.push_back(reg(s, result, {.enable = enable}));
  }
  return stages.leave(results);
}

}  // namespace kumiki::gen::pipeline
