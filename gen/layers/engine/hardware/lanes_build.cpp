// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include <fmt/format.h>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"

namespace kumiki::gen::engine {

// The ring has a word that is never full: a row of it may come before `has_room` is 0.
Ring build_ring(Scope& s, const CorePlan& p, const Ports& in, Net claims, Net ends_tile) {
  const std::uint32_t width = p.count_bits();
  const auto rows = static_cast<std::uint32_t>(p.shape.rows);
  const auto slices = static_cast<std::size_t>(p.chain_rows());
  Reg<Net> has_room(s, {.reset = in.rst});
  const Net takes = s.net(in.w_valid & has_room);
  // One of these bits for each row of a word. Taps of the depthwise unit have the first rows of
  // each half alone.
  Reg<UInt> turn(s, rows, {.init = 1, .enable = takes, .reset = in.rst});
  const auto few = static_cast<std::uint32_t>(p.depthwise_rows()),
             half = static_cast<std::uint32_t>(slices);
  std::vector<Net> next;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Net before = turn.q()[(row + rows - 1) % rows];
    const bool begins_half = row % half == 0, is_behind = row % half == few;
    const Net last_of_few = turn.q()[(row + rows - half + few - 1) % rows];
    next.push_back(begins_half ? s.net(mux(in.w_depthwise, last_of_few, before))
                   : is_behind ? s.net(before & ~Bit(in.w_depthwise))
                               : before);
  }
  turn.next(bits(s, next));
  const Net done =
      s.net(takes & mux(in.w_depthwise, turn.q()[rows - half + few - 1], turn.q()[rows - 1]));
  Reg<UInt> word(s, p.word_bits(), {.enable = done, .reset = in.rst});
  word.next(increment(s, word.q()));

  const UInt less_words = reg(s, sub(s, s.constant(0, width), zext(s, in.words, width)));
  const auto counted = [&](Net gives) {
    Reg<UInt> count(s, width, {.reset = in.rst});
    const UInt given = lut(
        s, [](bool g, bool bit) { return g && bit; }, gives, less_words);
    count.next(add(s, count.q(), given, done));
    return count.q();
  };
  const UInt there = counted(claims);
  const UInt taken = counted(packing::delayed_valid(s, ends_tile, p.freed(), ir::net_one, in.rst));
  has_room.next(~equals(s, taken, static_cast<std::uint64_t>(p.most_words())));

  Ring ring{
      .has_room = has_room, .has_tile = at_least(s, there, zext(s, in.words, width)), .write = {}};
  for (std::size_t row = 0; row < slices; ++row) {
    const Net mine = p.is_double ? s.net(turn.q()[static_cast<std::uint32_t>(row)] |
                                         turn.q()[static_cast<std::uint32_t>(row + slices)])
                                 : turn.q()[static_cast<std::uint32_t>(row)];
    ring.write.enable.push_back(reg(s, s.net(takes & mine), {.reset = in.rst}));
  }
  ring.write.word = reg(s, word.q());
  Bit second = ir::net_zero;
  for (std::uint32_t row = static_cast<std::uint32_t>(slices); row < rows; ++row)
    second = second | turn.q()[row];
  ring.write.half = bits(s, {reg(s, s.net(second))});
  for (const UInt& data : in.w_data) ring.write.data.push_back(reg(s, data));
  return ring;
}

Parameters build_parameters(Scope& s, const CorePlan& p, const Ports& in, Net switches) {
  Parameters out{};
  Reg<Net> full(s, {.reset = in.rst});
  const Net takes = s.net(in.p_valid & ~full);
  full.next((full & ~switches) | (takes & in.p_last));
  std::uint64_t number = 0;
  for (std::int64_t part = 0; part < p.parts(); ++part) {
    out.of_part.emplace_back();
    for (std::int64_t lane = 0; lane < p.shape.columns; ++lane, ++number) {
      const UInt next = reg(s, in.p_data, {.enable = s.net(takes & equals(s, in.p_lane, number))});
      out.of_part.back().push_back(reg(s, next, {.enable = switches}));
    }
  }
  out.is_full = full;
  return out;
}

std::vector<UInt> build_lanes(Scope& s, const CorePlan& p, const Ports& in, Net held,
                              const Results& sums, const Parameters& parameters) {
  // Pixels follow each other; of the depthwise unit, all parts of a pixel.
  const auto parts = static_cast<std::size_t>(p.parts());
  const auto part_bits = static_cast<std::uint32_t>(std::bit_width(parts - 1));
  Reg<UInt> pixel(s, 2, {.reset = held});
  pixel.next(increment(s, pixel.q()));
  Reg<UInt> slot(s, 2 + part_bits, {.reset = held});
  slot.next(increment(s, slot.q()));
  // The parameters of a tile come a clock after its sums.
  const UInt part = reg(s, slot.q().slice(0, part_bits));
  const Net is_depthwise = reg(s, in.depthwise);
  std::vector<UInt> results;
  for (std::size_t c = 0; c < sums.products.size(); ++c) {
    const UInt product = select(s, pixel.q(), std::span<const UInt>(sums.products[c]));
    std::vector<UInt> of_slots, of_parts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(EngineShape::pixels) * parts; ++i)
      of_slots.push_back(sums.depthwise[i % parts * sums.products.size() + c][i / parts]);
    for (std::size_t i = 0; i < parts; ++i) of_parts.push_back(parameters.of_part[i][c]);
    const UInt by_itself = reg(s, select(s, slot.q(), std::span<const UInt>(of_slots)));
    const UInt sum = reg(s, product);
    const UInt chosen =
        reg(s, lut(
                   s, [](bool d, bool a, bool b) { return d ? a : b; }, is_depthwise,
                   UInt(sext(s, as_signed(by_itself), sum.width())), sum));
    const UInt parameter =
        reg(s, parts == 1
                   ? of_parts[0]
                   : select(s,
                            lut(
                                s, [](bool d, bool bit) { return d && bit; }, is_depthwise, part),
                            std::span<const UInt>(of_parts)));
    const UInt result = instantiate(s, requant::build_float_lane, requant::FloatLanePlan{8},
                                    requant::FloatLaneIn<Hardware>{.en = ir::net_one,
                                                                   .sum = chosen,
                                                                   .parameter = parameter,
                                                                   .zero = in.zero,
                                                                   .low = in.low,
                                                                   .high = in.high},
                                    fmt::format("lane{}", c))
                            .q;
    // A number with its sign is the entry of its bits.
    const UInt entry = Memory{.depth = 512,
                              .width = 8,
                              .style = ir::memory::block,
                              .read = ir::memory::twice_registered,
                              .write_enable = in.table_write,
                              .write_address = in.table_number,
                              .write_data = in.table_entry,
                              .read_address = cat(s, {bits(s, {in.tap_bank}), result})}
                           .add_to(s);
    results.push_back(reg(s, lut(
                                 s, [](bool t, bool a, bool b) { return t ? a : b; }, in.has_table,
                                 entry, delay(s, result, CorePlan::table_clocks - 1))));
  }
  return results;
}

std::vector<UInt> build_maxima(Scope& s, const Results& sums, Net held) {
  Reg<UInt> pixel(s, 2, {.reset = held});
  pixel.next(increment(s, pixel.q()));
  std::vector<UInt> all;
  for (const auto& channel : sums.maximum)
    all.push_back(reg(s, select(s, pixel.q(), std::span<const UInt>(channel))));
  return all;
}

}  // namespace kumiki::gen::engine
