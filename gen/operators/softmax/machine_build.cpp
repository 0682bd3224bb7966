// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/blocks/requant/wide_product.h"
#include "gen/hdl/cycle.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/raster.h"
#include "gen/layers/pipeline/machines/results.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "gen/operators/softmax/machine.h"
#include "gen/operators/softmax/parts.h"

namespace kumiki::gen::pipeline {
namespace {

std::vector<std::uint64_t> table_of(const graph::SoftmaxIntegers& integers) {
  return {integers.entries.begin(), integers.entries.end()};
}

// The entry of a distance, a clock later. A distance past the last channel has a bit more, and its
// entry is 0.
UInt entry_of(Scope& s, const graph::SoftmaxIntegers& integers, const UInt& distance, Net enable,
              ir::memory::Read read) {
  return Memory{.depth = 1u << distance.width(),
                .width = graph::SoftmaxIntegers::entry_bits,
                .read = read,
                .contents = table_of(integers),
                .read_enable = enable,
                .read_address = distance}
      .add_to(s);
}

}  // namespace

MachineOut<Hardware> build(Scope& s, const LargestPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const GroupedStream& g = p.groups;
  const bool is_signed = g.stream.format.is_signed;
  GroupBeats beats(s, g, in);
  const auto width = static_cast<std::uint32_t>(g.stream.format.bits);
  const UInt lowest = s.constant(
      arith::raw_of(static_cast<std::int64_t>(g.stream.format.range().lo), width), width);
  std::vector<UInt> numbers;
  for (std::int64_t lane = 0; lane < g.stream.lanes; ++lane) {
    UInt number = in.in_data[static_cast<std::size_t>(lane)];
    if (g.is_past(lane)) number = mux(s, beats.is_last(), lowest, number);
    numbers.push_back(reg(s, number));
  }
  const int clocks = 1 + arith::bits_for_count(numbers.size());
  Flag is_first(s, beats.is_first());
  const Net valid = later(s, beats.takes(), clocks, in.rst);
  const Largest largest = largest_so_far(s, largest_of(s, std::move(numbers), is_signed), is_signed,
                                         is_first.after(clocks), valid);
  return beats.leave(s, p.schedule(), largest.number, in);
}

MachineOut<Hardware> build(Scope& s, const DistancesPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const GroupedStream& g = p.groups;
  Stages stages(s, in, g.stream.lanes, p.schedule());
  const UInt largest = reg(s, in.in_data.back(), {.enable = stages.takes(0, 1)});
  Net is_last = ir::net_zero;
  if (p.has_past()) {
    const Net takes = s.net(in.in_valid[0] & stages.takes(0, 0));
    is_last = reg(s, Cycle(s, g.beats(), takes, in.rst).last(), {.enable = stages.takes(0, 0)});
  }
  std::vector<UInt> distances;
  for (std::int64_t lane = 0; lane < g.stream.lanes; ++lane) {
    const UInt number =
        reg(s, in.in_data[static_cast<std::size_t>(lane)], {.enable = stages.takes(lane, 0)});
    UInt distance = sub(s, largest, number);
    if (p.has_past())
      distance = cat(s, {Word(bits(s, {g.is_past(lane) ? is_last : ir::net_zero})), distance});
    distances.push_back(reg(s, distance, {.enable = stages.moves(lane)}));
  }
  return stages.leave(distances);
}

MachineOut<Hardware> build(Scope& s, const ExponentialsPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const GroupedStream& g = p.groups;
  GroupBeats beats(s, g, in);
  Word cascade;
  UInt sum;
  for (std::int64_t slice = 0; slice < p.slices(); ++slice) {
    const auto entry = [&](std::int64_t lane) -> Word {
      if (lane >= g.stream.lanes) return {};
      const UInt distance =
          delay(s, in.in_data[static_cast<std::size_t>(lane)], static_cast<std::uint32_t>(slice));
      return zext(s, entry_of(s, p.integers, distance, ir::net_one, ir::memory::twice_registered),
                  dsp48e2.p);
    };
    const UInt one(entry(2 * slice));
    const Word other = entry(2 * slice + 1);
    // P: A:B, C and the sum of the slices below.
    const std::uint16_t x = 0b11, y = other.width() == 0 ? 0 : 0b1100,
                        z = slice == 0 ? 0 : 0b1'0000;
    Dsp48e2 cell{.attributes = {.mreg = 0, .use_mult = ir::dsp48e2::UseMult::none},
                 .a = one.slice(dsp48e2.b, dsp48e2.a),
                 .b = one.slice(0, dsp48e2.b),
                 .c = other,
                 .pcin = cascade,
                 .opmode = static_cast<std::uint16_t>(x | y | z)};
    if (slice + 1 == p.slices()) beats.add_up(s, cell, 2 + p.slices(), in.rst);
    const auto out = cell.add_to(s);
    cascade = out.pcout;
    sum = as_unsigned(out.p);
  }
  const auto width = static_cast<std::uint32_t>(p.output().format.bits);
  return beats.leave(s, p.schedule(), sum.slice(0, width), in);
}

MachineOut<Hardware> build(Scope& s, const DivisionPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Walk walk = p.schedule();
  Wire<Net> room_next(s);
  const Raster raster = build_raster(s, walk.around, in.in_valid[0], room_next, in.rst);
  const Cycle unit(s, p.units(), raster.takes, in.rst);
  const auto width = static_cast<std::uint32_t>(p.steps());
  std::vector<UInt> quotients;
  for (std::int64_t i = 0; i < p.units(); ++i) {
    const Net takes =
        p.units() == 1 ? raster.takes
                       : s.net(raster.takes & equals(s, unit.at(), static_cast<std::uint64_t>(i)));
    quotients.push_back(
        divided(s, takes, in.in_data[0],
                s.constant(static_cast<std::uint64_t>(2 * p.first_rest()), dsp48e2.p), width));
  }
  const Net arrives = later(s, raster.takes, walk.results.clocks, in.rst);
  UInt quotient = quotients[0];
  if (p.units() > 1)
    quotient = select(s, delay(s, unit.at(), static_cast<std::uint32_t>(walk.results.clocks)),
                      std::span<const UInt>(quotients));
  const Results results(s, walk.results, arrives, quotient, in.out_ready, in.rst);
  room_next.drive(results.room_next());
  return {.in_ready = {raster.ready}, .out_valid = results.valid(), .out_data = {results.word()}};
}

MachineOut<Hardware> build(Scope& s, const SharesPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const GroupedStream& g = p.groups;
  Stages stages(s, in, g.stream.lanes, p.schedule());
  constexpr std::uint32_t low = requant::first_slice_bits;
  const UInt reciprocal = in.in_data.back();
  const UInt upper =
      reg(s, reciprocal.slice(low, reciprocal.width() - low), {.enable = stages.takes(0, 1)});
  // Half of a step and the zero point, above the bits that the cascade drops.
  constexpr int point = graph::SoftmaxIntegers::shift - static_cast<int>(low);
  const std::int64_t offset =
      (std::int64_t{1} << (point - 1)) + p.integers.zero * (std::int64_t{1} << point);
  const std::int64_t most =
      (std::int64_t{1} << p.integers.reciprocal_bits()) >>
      (graph::SoftmaxIntegers::shift - graph::SoftmaxIntegers::entry_bits + 1);
  const auto width =
      static_cast<std::uint32_t>(arith::signed_bits({p.integers.zero, p.integers.zero + most}));
  std::vector<UInt> results;
  for (std::int64_t lane = 0; lane < g.stream.lanes; ++lane) {
    const Net moves = stages.moves(lane), takes = stages.takes(lane, 1);
    const UInt entry = entry_of(s, p.integers, in.in_data[static_cast<std::size_t>(lane)],
                                stages.takes(lane, 0), ir::memory::registered);
    const SInt share =
        requant::upper_product(s,
                               {.attributes = {.breg = 2},
                                .a = zext(s, entry, dsp48e2.a),
                                .b = zext(s, reciprocal.slice(0, low), dsp48e2.b),
                                .ceb1 = takes},
                               {.attributes = {.breg = 2,
                                               .a_input = ir::dsp48e2::Path::cascade,
                                               .rnd = arith::raw_of(offset, dsp48e2.p)},
                                .b = zext(s, upper, dsp48e2.b),
                                .opmode = 0b10'000'00'00},  // W is the constant
                               moves);
    UInt number = share.slice(point, width);
    const auto bits_of_result = static_cast<std::uint32_t>(p.format.bits);
    if (p.integers.clamps()) {
      // Bits of a number that is too large, and not negative.
      const std::uint32_t from = bits_of_result - (p.format.is_signed ? 1 : 0);
      const Net above = any_of(s, number.slice(from, width - 1 - from));
      const Net is_over = s.net(above & ~number.msb());
      std::vector<Net> clamped;
      const std::uint64_t raw = arith::raw_of(p.integers.most, p.format);
      for (std::uint32_t bit = 0; bit < bits_of_result; ++bit)
        clamped.push_back((raw >> bit & 1) != 0 ? s.net(number[bit] | is_over)
                                                : s.net(number[bit] & ~is_over));
      number = bits(s, clamped);
    }
    results.push_back(number.slice(0, bits_of_result));
  }
  return stages.leave(results);
}

}  // namespace kumiki::gen::pipeline
