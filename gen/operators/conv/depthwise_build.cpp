// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/dsp.h"
#include "gen/layers/pipeline/machines/add_chosen.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/operators/conv/depthwise.h"
#include "gen/operators/conv/kernel_rom.h"

namespace kumiki::gen::pipeline {
namespace {

std::uint32_t bits_of_counts(const Ring& ring) {
  const std::int64_t most = std::max(ring.needed, ring.next_line + ring.next_frame) + ring.room + 8;
  return static_cast<std::uint32_t>(arith::signed_bits(arith::Interval{-most, most}));
}

// The walk over windows, and what a clock computes.
struct Issue {
  Net goes;          // a step happens
  Net begins, ends;  // the first and the last step of a window of a block
  UInt address;      // in the first slice's memory
  UInt weight;       // of this block and step
};

struct WindowEnds {
  Net ended, last_column, last_line;  // a window of all blocks ended; it was the last of its line,
                                      // of its frame
};

// Decides which windows have all their positions. `written`: a position is complete.
Issue issue(Scope& s, const DepthwisePlan& p, const Ring& ring, Net written, Net room, Net reset,
            WindowEnds& window) {
  const DepthwiseSteps steps = p.steps();
  const std::uint32_t width = bits_of_counts(ring);
  Reg<SInt> ahead(s, width, {.init = arith::raw_of(-ring.needed, width), .reset = reset});
  s.named("ahead", ahead.q());
  const Net lacks = ahead.q().msb();
  const Net goes = s.net(~lacks & room);
  const Cycle column(s, steps.columns, goes, reset), line(s, steps.lines, column.ends(), reset);
  const Cycle block(s, ring.around.blocks, line.ends(), reset);
  const Cycle out_column(s, ring.out_columns, block.ends(), reset);
  const Cycle out_line(s, ring.out_lines, out_column.ends(), reset);
  const Cycle weight(s, ring.steps * ring.around.blocks, goes, reset);
  ahead.next(SInt(Word(add_chosen(
      s, UInt(Word(ahead.q())), {lacks, room, weight.last(), out_column.last(), out_line.last()},
      [&](unsigned flags) {
        const bool ends = (flags & 7) == 6;
        return ends ? -ring.next((flags & 8) != 0, (flags & 16) != 0) : 0;
      },
      written))));
  window = {.ended = reg(s, block.ends(), {.reset = reset}),
            .last_column = reg(s, out_column.last()),
            .last_line = reg(s, out_line.last())};
  const std::int64_t raster_line = std::ssize(ring.around.columns);
  const std::int64_t down = p.window.dilation[0] * raster_line, right = p.window.dilation[1];
  const std::int64_t last = (steps.lines - 1) * down + (steps.columns - 1) * right;
  Reg<UInt> address(s, address_width(static_cast<std::uint64_t>(p.words())),
                    {.enable = goes, .reset = reset});
  address.next(add_chosen(
      s, address.q(),
      {column.last(), line.last(), block.last(), out_column.last(), out_line.last()},
      [&](unsigned flags) {
        if ((flags & 1) == 0) return right * ring.around.blocks;
        if ((flags & 2) == 0) return (down - (steps.columns - 1) * right) * ring.around.blocks;
        if ((flags & 4) == 0) return 1 - last * ring.around.blocks;
        const std::int64_t next = ring.next((flags & 8) != 0, (flags & 16) != 0);
        return (next - last - 1) * ring.around.blocks + 1;
      },
      ir::net_zero));
  const auto first_of = [](std::int64_t count) {
    std::vector<bool> table(static_cast<std::size_t>(count), false);
    table[0] = true;
    return table;
  };
  return {.goes = goes,
          .begins =
              s.net(column.look_up(first_of(steps.columns)) & line.look_up(first_of(steps.lines))),
          .ends = s.net(column.last() & line.last()),
          .address = address.q(),
          .weight = weight.at()};
}

// Whether one more position may be written.
Net build_space(Scope& s, const Ring& ring, Net written, const WindowEnds& window, Net reset) {
  const std::uint32_t width = bits_of_counts(ring);
  Reg<SInt> space(s, width, {.init = arith::raw_of(ring.room, width), .reset = reset});
  s.named("space", space.q());
  space.next(SInt(Word(add_chosen(
      s, UInt(Word(space.q())), {written, window.ended, window.last_column, window.last_line},
      [&](unsigned flags) {
        const std::int64_t more =
            (flags & 2) != 0 ? ring.next((flags & 4) != 0, (flags & 8) != 0) : 0;
        return more - (flags & 1);
      },
      ir::net_zero))));
  return s.net(~space.q().msb());
}

// The map in a slice's memory. It is written at an offset, so the common address finds the slice's
// position of the kernel.
UInt build_map(Scope& s, const DepthwisePlan& p, const std::array<std::int64_t, 2>& position,
               Net write, const UInt& word, const UInt& address, Net reset) {
  const std::int64_t line = std::ssize(p.raster().columns);
  const std::int64_t off =
      (position[0] * p.window.dilation[0] * line + position[1] * p.window.dilation[1]) *
      p.stream.blocks();
  Reg<UInt> place(s, address.width(),
                  {.init = arith::raw_of(-off, address.width()), .enable = write, .reset = reset});
  place.next(increment(s, place.q()));
  const bool in_luts = p.is_in_luts();
  return Memory{.depth = static_cast<std::uint32_t>(p.words()),
                .width = word.width(),
                .style = in_luts ? ir::memory::distributed : ir::memory::block,
                .read = in_luts ? ir::memory::registered : ir::memory::twice_registered,
                .write_enable = write,
                .write_address = place.q(),
                .write_data = word,
                .read_address = address}
      .add_to(s);
}

// The weights of a slice for all lanes, in the order of its steps.
std::vector<std::vector<std::int64_t>> weights_of_slice(const DepthwisePlan& p, std::size_t slice) {
  const DepthwiseSteps steps = p.steps();
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(p.stream.lanes));
  for (std::int64_t block = 0; block < p.stream.blocks(); ++block)
    for (std::int64_t line = 0; line < steps.lines; ++line)
      for (std::int64_t column = 0; column < steps.columns; ++column)
        for (std::int64_t lane = 0; lane < p.stream.lanes; ++lane) {
          const std::int64_t channel = block * p.stream.lanes + lane;
          const std::int64_t at =
              (channel * p.window.kernel[0] + steps.of_slices[slice][0] + line) *
                  p.window.kernel[1] +
              steps.of_slices[slice][1] + column;
          all[static_cast<std::size_t>(lane)].push_back(
              channel < p.stream.channels ? p.weights[static_cast<std::size_t>(at)] : 0);
        }
  return all;
}

}  // namespace

MachineOut<Hardware> build(Scope& s, const DepthwisePlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Net reset = in.rst;
  const Ring ring = p.schedule();
  const RasterPlan& around = ring.around;
  const DepthwiseSteps steps = p.steps();
  const Stream out = p.output();
  const auto slices = static_cast<std::size_t>(p.parallel);
  Wire<Net> space_next(s), room_next(s);
  const Raster raster = build_raster(s, around, in.in_valid[0], space_next, reset);
  const UInt word =
      raster_word(s, around, raster, in.in_data, arith::raw_of(p.zero_point, p.stream.format));
  const Net write = reg(s, raster.moves, {.reset = reset});
  const Net written = reg(s, raster.block.ends(), {.reset = reset});
  const Net room = reg(s, room_next, {.init = 1, .reset = reset});
  WindowEnds window{};
  const Issue now = issue(s, p, ring, written, room, reset, window);
  space_next.drive(build_space(s, ring, written, window, reset));

  // When the last slice adds a product to its sum, and when that sum is a result.
  const auto last = static_cast<int>(p.slices_of_lane()) - 1;
  std::vector<Net> valid{now.goes};
  for (int i = 0; i < 6 + last; ++i) valid.push_back(reg(s, valid.back(), {.reset = reset}));
  Flag adds(s, s.net(~now.begins)), ends(s, now.ends);
  const bool is_serial = steps.count() > 1;
  const bool map_in_luts = p.is_in_luts();

  std::vector<SInt> sums(static_cast<std::size_t>(p.stream.lanes));
  std::vector<Word> cascade(sums.size());
  UInt address = now.address, weight = now.weight;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    s.remark(fmt::format("slices {} of {}", slice + 1, slices));
    const UInt weight_before = weight;
    address = reg(s, address);
    weight = reg(s, weight);
    const auto numbers = lanes_of(
        build_map(s, p, steps.of_slices[slice], write, word, address, reset), p.stream.lanes);
    const KernelRom rom(weights_of_slice(p, slice), p.weight_range());
    std::vector<SInt> weights;
    Net adds_copy = ir::net_zero, moves_copy = ir::net_one;
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
      if (lane % lanes_of_a_copy == 0) {
        weights = rom.build(s, lane, std::min(lanes_of_a_copy, sums.size() - lane),
                            lane == 0 ? weight : reg(s, weight_before));
        if (is_serial && slice + 1 == slices) {
          adds_copy = adds.copy(s, 4 + last);
          moves_copy = reg(s, valid[static_cast<std::size_t>(4 + last)], {.reset = reset});
        }
      }
      const UInt& x = numbers[lane];
      const SInt number =
          p.stream.format.is_signed ? SInt(Word(x)) : SInt(Word(zext(s, x, x.width() + 1)));
      const std::uint8_t map_registers = map_in_luts ? 2 : 1;
      const std::uint8_t rom_registers = rom.is_memory() ? 1 : 2;
      Dsp48e2 dsp{.attributes = {.areg = map_registers,
                                 .acascreg = map_registers,
                                 .breg = rom_registers,
                                 .bcascreg = rom_registers},
                  .a = sext(s, number, dsp48e2.a),
                  .b = sext(s, weights[lane % lanes_of_a_copy], dsp48e2.b),
                  .cep = p.adds_apart ? ir::net_one : moves_copy};
      constexpr std::uint16_t product = 0b00'000'01'01, from_below = 0b00'001'00'00;
      dsp.opmode = product;
      if (slice > 0) {
        dsp.pcin = cascade[lane];
        dsp.opmode |= from_below;
      }
      const bool accumulates = adds_copy != ir::net_zero;
      if (accumulates && !p.adds_apart) control_opmode(s, dsp, w_is_p, adds_copy);
      Dsp48e2::Out found = dsp.add_to(s);
      if (accumulates && p.adds_apart) {
        Dsp48e2 sum{.attributes = {.mreg = 0, .use_mult = ir::dsp48e2::UseMult::none},
                    .pcin = found.pcout,
                    .opmode = from_below,
                    .cep = moves_copy};
        control_opmode(s, sum, x_is_p, adds_copy);
        found = sum.add_to(s);
      }
      cascade[lane] = found.pcout;
      sums[lane] = found.p;
    }
  }
  std::vector<Word> high_to_low;
  for (std::size_t lane = sums.size(); lane-- > 0;)
    high_to_low.push_back(sums[lane].slice(0, static_cast<std::uint32_t>(out.format.bits)));
  const Net arrives = s.net(valid.back() & ends.after(6 + last));
  const Results results(s, ring.results, arrives, cat(s, high_to_low), in.out_ready, reset);
  room_next.drive(results.room_next());
  return {.in_ready = {raster.ready},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

}  // namespace kumiki::gen::pipeline
