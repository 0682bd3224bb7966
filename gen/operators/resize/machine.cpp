// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/resize/machine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/machines/walk.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_line = 1 << 16, most_depth_in_luts = 64;

// Places of a line in the memory: a power of two, so one bit of the address tells the two lines
// apart.
std::uint64_t room_of_a_line(const ResizePlan& p) {
  return std::bit_ceil(static_cast<std::uint64_t>(p.line()));
}
std::int64_t depth(const ResizePlan& p) {
  return static_cast<std::int64_t>(room_of_a_line(p)) + p.line();
}
bool in_luts(const ResizePlan& p) { return depth(p) <= most_depth_in_luts; }

// The place that a clock reads. Blocks follow each other; a pixel repeats from its first block, a
// line from its first pixel. Only registers enable the counters, so the counters form no chain.
struct Reading {
  UInt address;
  Net ends;  // the last read of a line
};

Reading build_reading(Scope& s, const ResizePlan& p, Net room, Net some, Net reset) {
  const Net moves = s.net(room & some);
  const Cycle block(s, p.stream.blocks(), moves, reset);
  const Cycle column(s, p.factor[1], s.net(room & some & block.last()), reset);
  const Net next_pixel = s.net(room & some & block.last() & column.last());
  const Cycle pixel(s, p.stream.width, next_pixel, reset);
  const Net next_row = s.net(room & some & block.last() & column.last() & pixel.last());
  const Cycle row(s, p.factor[0], next_row, reset);
  const Net ends = s.net(room & some & block.last() & column.last() & pixel.last() & row.last());
  const Cycle half(s, 2, ends, reset);
  if (p.line() == 1) return {half.at(), ends};
  const auto width = address_width(room_of_a_line(p));
  Reg<UInt> at(s, width, {.enable = moves, .reset = reset});
  // The selection and the increment share the LUTs of one carry chain.
  const auto again = block.last() & ~column.last();
  const auto line_ends = block.last() & column.last() & pixel.last();
  const bool has_first = p.factor[1] > 1 && p.stream.blocks() > 1;
  const UInt zero = s.constant(0, width);
  UInt first = at.q();  // place of the pixel; with one block the current place
  std::optional<Reg<UInt>> kept;
  if (has_first) {
    kept.emplace(s, width, RegOptions{.enable = next_pixel, .reset = reset});
    kept->next(carry_chain(s, s.word(at.q() & ~pixel.last()), zero, s.net(~pixel.last())).sum);
    first = kept->q();
  }
  const UInt from = s.word(mux(again, first, at.q()) & ~line_ends);
  at.next(carry_chain(s, from, zero, s.net(~again & ~line_ends)).sum);
  return {cat(s, {Word(half.at()), Word(at.q())}), ends};
}

}  // namespace

std::optional<std::string> ResizePlan::why_not() const {
  if (stream.format.bits < 1 || stream.format.bits > 16)
    return fmt::format("numbers of {} bits: they must have 1 to 16", stream.format.bits);
  if (line() > most_line)
    return fmt::format("a line of {} beats: it must have at most {}", line(), most_line);
  return std::nullopt;
}

Lines ResizePlan::schedule() const {
  return {.pieces = stream.height,
          .beats = line(),
          .reads = std::int64_t{factor[0]} * factor[1],
          // From the address to the word.
          .results = {.clocks = in_luts(*this) ? 1 : 2}};
}

Stream ResizePlan::output() const {
  Stream out = stream;
  out.height *= factor[0];
  out.width *= factor[1];
  return out;
}

std::string ResizePlan::text() const {
  return fmt::format("{} x {} pixels, each {} x {} times", stream.height, stream.width, factor[0],
                     factor[1]);
}

std::string ResizePlan::module_name() const {
  return fmt::format("resize{}x{}_w{}_c{}_l{}", factor[0], factor[1], stream.width, stream.channels,
                     stream.lanes);
}

MachineOut<Hardware> build(Scope& s, const ResizePlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Net reset = in.rst;
  // Whole lines in the memory: at least one; two.
  Reg<Net> some(s, {.reset = reset}), full(s, {.reset = reset});
  Reg<Net> ready(s, {.init = 1, .reset = reset}), room(s, {.init = 1, .reset = reset});
  const Net takes = s.net(in.in_valid[0] & ready);
  const Cycle place(s, p.line(), takes, reset);
  const Cycle half(s, 2, place.ends(), reset);
  const Reading reading = build_reading(s, p, room.q(), some.q(), reset);
  const Net comes = place.ends(), goes = reading.ends;
  const Net stays_full = s.net((full & ~goes) | (some & ~full & comes & ~goes));
  full.next(stays_full);
  ready.next(~stays_full);
  some.next(full | comes | (some & ~goes));
  const UInt to = p.line() == 1 ? half.at() : cat(s, {Word(half.at()), Word(place.at())});
  const UInt word =
      Memory{.depth = static_cast<std::uint32_t>(depth(p)),
             .width = static_cast<std::uint32_t>(p.stream.bits()),
             .style = in_luts(p) ? ir::memory::distributed : ir::memory::block,
             .read = in_luts(p) ? ir::memory::registered : ir::memory::twice_registered,
             .write_enable = takes,
             .write_address = to,
             .write_data = joined(s, in.in_data),
             .read_address = reading.address}
          .add_to(s);
  Net arrives = s.net(room & some);
  const ResultsPlan waits = p.schedule().results;
  for (std::int64_t i = 0; i < waits.clocks; ++i) arrives = reg(s, arrives, {.reset = reset});
  const Results results(s, waits, arrives, word, in.out_ready, reset);
  room.next(results.room_next());
  return {.in_ready = {ready.q()},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

// A pixel of a line sends its blocks once for each column of the factor.
Lanes beat(const ResizePlan& p, std::int64_t k, const Taken& in) {
  const std::int64_t blocks = p.stream.blocks(), column = k % (p.line() * p.factor[1]) / blocks;
  const auto same = in.at(0, column / p.factor[1] * blocks + k % blocks);
  return {same.begin(), same.end()};
}

}  // namespace kumiki::gen::pipeline
