// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/wide_product.h"
#include "gen/hdl/cycle.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/requantise_lanes.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "gen/operators/layer_norm/machine.h"
#include "gen/operators/layer_norm/parts.h"

namespace kumiki::gen::pipeline {
namespace {

using graph::NormIntegers;

constexpr std::uint32_t low_bits = requant::first_slice_bits;

// A number less `center`: the highest bit of unsigned numbers turns into a sign.
SInt centered(Scope& s, const UInt& number, std::int64_t center) {
  if (center == 0) return as_signed(number);
  std::vector<Net> all;
  for (std::uint32_t i = 0; i + 1 < number.width(); ++i) all.push_back(number[i]);
  all.push_back(s.net(~number.msb()));
  return as_signed(bits(s, all));
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
  const SInt variance = variance_of(s, squares, as_signed(sum),
                                    s.constant(static_cast<std::uint64_t>(n.size), dsp48e2.b));
  const auto point = static_cast<std::uint32_t>(n.point);
  const UInt with_point = raised(s, variance.slice(0, dsp48e2.p - point), point);
  const auto total = Dsp48e2{.attributes = {.mreg = 0,
                                            .use_mult = ir::dsp48e2::UseMult::none,
                                            .rnd = static_cast<std::uint64_t>(n.epsilon)},
                             .a = with_point.slice(dsp48e2.b, dsp48e2.a),
                             .b = with_point.slice(0, dsp48e2.b),
                             .opmode = OpMode::constant | 0b11}
                         .add_to(s);
  const ReciprocalRoot root =
      reciprocal_root(s, total.p.slice(0, NormIntegers::sum_bits), p.steps());
  // The result of so many clocks, and what has waited as long.
  std::vector<Word> high_to_low{delay(s, sum, static_cast<std::uint32_t>(21 + p.steps()))};
  if (p.steps() > 0) high_to_low.push_back(delay(s, root.shift, ReciprocalRoot::clocks));
  high_to_low.push_back(root.root);
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
  // Larger shifts are of pixels whose numbers are all equal.
  const UInt size = look_up(
      s, dsp48e2.a,
      [&](unsigned by) {
        return arith::raw_of(n.size * (std::int64_t{1} << (by + more)),
                             NormIntegers::difference_bits);
      },
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
                                    .alumode = OpMode::others_minus_z,
                                    .enable = enable,
                                    .ceb1 = stages.takes(i, 0)}
                                .add_to(s);
    const SInt d = as_signed(difference.p.slice(0, NormIntegers::difference_bits));
    const SInt bias = constants(n.biases, bias_bits, 9),
               factor = constants(n.factors, NormIntegers::factor_bits, 7);
    results.push_back(normal_result(s,
                                    {.difference = d,
                                     .lower = root.after(2).slice(0, low_bits),
                                     .upper = root.after(3).slice(low_bits, root_bits - low_bits),
                                     .factor = factor,
                                     .bias = bias},
                                    p.format, enable));
  }
  return stages.leave(results);
}

}  // namespace kumiki::gen::pipeline
