// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"
#include "gen/layers/engine/hardware/sum_tables.h"

namespace kumiki::gen::engine {

Parameters build_parameters(Scope& s, const CorePlan& p, const Ports& in, Net claims,
                            Net switches) {
  const std::uint32_t width = p.ahead_bits();
  Reg<Net> has_room(s, {.reset = in.rst});
  const Net takes = s.net(in.p_valid & has_room), done = s.net(takes & in.p_last);
  const Cycle lane(s, p.shape.columns, takes, in.rst);
  Reg<UInt> part(s, p.turn_bits(), {.enable = lane.ends(), .reset = in.rst});
  part.next(masked(s, s.net(~Bit(in.p_last)), increment(s, part.q())));
  const auto counted = [&](Net gives) {
    Reg<UInt> count(s, width, {.reset = in.rst});
    count.next(step_by_one(s, count.q(), done, gives));
    return count.q();
  };
  const UInt unclaimed = counted(claims), ahead = counted(switches);
  has_room.next(~done & ~Bit(equals(s, ahead, static_cast<std::uint64_t>(p.tiles_ahead()))));
  Reg<UInt> to(s, width, {.enable = done, .reset = in.rst}),
      from(s, width,
           {.init = (std::uint64_t{1} << width) - 1, .enable = switches, .reset = in.rst});
  to.next(increment(s, to.q()));
  from.next(increment(s, from.q()));
  Parameters out{.has_room = has_room,
                 .has_tile = any_of(s, unclaimed),
                 .enable = {},
                 .write_tile = to.q(),
                 .write_part = part.q(),
                 .tile = from.q()};
  for (std::int64_t c = 0; c < p.shape.columns; ++c)
    out.enable.push_back(s.net(takes & equals(s, lane.at(), static_cast<std::uint64_t>(c))));
  return out;
}

Slot slot_of(Scope& s, const CorePlan& p, const Ports& in, Net held) {
  if (p.parts() == 1) {
    Reg<UInt> pixel(s, 2, {.reset = held});
    pixel.next(increment(s, pixel.q()));
    return {.pixel = pixel.q(), .part = bits(s, {ir::net_zero})};
  }
  Reg<UInt> slot(s, 2 + p.turn_bits(), {.reset = held});
  slot.next(increment(s, slot.q()));
  return {.pixel = mux(s, in.depthwise, slot.q().slice(p.turn_bits(), 2), slot.q().slice(0, 2)),
          .part = slot.q().slice(0, p.turn_bits())};
}

namespace {

// The result of a lane, or what the tables make of it and of a second number.
UInt looked_up(Scope& s, const Ports& in, const UInt& result, const UInt& second) {
  const UInt half = bits(s, {in.tap_bank});
  const auto entry = [&](const UInt& number, Net is_written) {
    return Memory{
        .depth = 512,
        .width = SumTables::bits,
        .style = ir::memory::block,
        .read = ir::memory::twice_registered,
        .write_enable = s.net(in.table_write & is_written),
        .write_address = cat(s, {in.table_number.slice(9, 1), in.table_number.slice(0, 8)}),
        .write_data = in.table_entry,
        .read_address = cat(s, {half, number})}
        .add_to(s);
  };
  const Net of_second = in.table_number[8];
  const UInt one = entry(result, s.net(~Bit(of_second))), other = entry(second, of_second);
  const UInt differ = lut_o6(
      s, [](bool adds, bool a, bool b) { return a != (adds && b); }, SourceLocation::current(),
      in.adds, one, other);
  const UInt sum = reg(s, UInt(carry_chain(s, differ, one, ir::net_zero).sum));
  constexpr std::uint32_t fraction = SumTables::fraction_bits, sign = SumTables::bits - 1;
  const UInt above = sum.slice(fraction + 7, sign - fraction - 7);
  const Net is_negative = sum[sign];
  const Net is_outside = any_of(
      s, lut(
             s, [](bool bit, bool negative) { return bit != negative; }, above, is_negative));
  const Net is_tie = s.net(
      in.ties & ~Bit(any_of(s, sum.slice(SumTables::tie_bits, fraction - SumTables::tie_bits))));
  const UInt whole = sum.slice(fraction, 8);
  std::vector<Net> number(whole.nets().begin(), whole.nets().end());
  number[0] = s.net(number[0] & ~Bit(is_tie));
  number[7] = is_negative;
  const UInt plain = delay(s, result, CorePlan::table_clocks - 1);
  for (std::uint32_t bit = 0; bit < 8; ++bit)
    number[bit] = look_up(
        s, 1,
        [&](unsigned i) {
          const bool has = i & 1, outside = i >> 1 & 1, negative = i >> 2 & 1, sum_bit = i >> 3 & 1,
                     plain_bit = i >> 4 & 1;
          return !has ? plain_bit : bit < 7 && outside ? !negative : sum_bit;
        },
        std::vector<Net>{in.has_table, is_outside, is_negative, number[bit], plain[bit]})[0];
  return reg(s, bits(s, number));
}

}  // namespace

std::vector<UInt> build_lanes(Scope& s, const CorePlan& p, const Ports& in, const Slot& slot,
                              const Results& sums, const Parameters& parameters,
                              const std::vector<UInt>& seconds) {
  const auto parts = static_cast<std::size_t>(p.parts());
  // The parameters of a tile come a clock after its sums.
  const Net is_depthwise = reg(s, in.depthwise);
  const UInt part = masked(s, is_depthwise, reg(s, slot.part));
  const UInt of_depthwise = parts == 1 ? slot.pixel : cat(s, {slot.pixel, slot.part});
  const auto in_tile = [&](const UInt& tile, const UInt& of) {
    return parts == 1 ? tile : cat(s, {tile, of});
  };
  std::vector<UInt> results;
  for (std::size_t c = 0; c < sums.products.size(); ++c) {
    std::vector<UInt> of_slots;
    for (std::size_t i = 0; i < static_cast<std::size_t>(EngineShape::pixels) * parts; ++i)
      of_slots.push_back(sums.depthwise[i % parts * sums.products.size() + c][i / parts]);
    const UInt product = reg(s, select(s, slot.pixel, std::span<const UInt>(sums.products[c]))),
               by_itself = reg(s, select(s, of_depthwise, std::span<const UInt>(of_slots)));
    const UInt chosen =
        reg(s, mux(s, is_depthwise, UInt(sext(s, as_signed(by_itself), product.width())), product));
    const UInt parameter =
        Memory{.depth = CorePlan::parameter_words,
               .width = CorePlan::parameter_bits,
               .style = ir::memory::distributed,
               .read = ir::memory::registered,
               .write_enable = parameters.enable[c],
               .write_address = in_tile(parameters.write_tile, parameters.write_part),
               .write_data = in.p_data,
               .read_address = in_tile(parameters.tile, part)}
            .add_to(s);
    const UInt result = instantiate(s, requant::build_float_lane, p.lane,
                                    requant::FloatLaneIn<Hardware>{.en = ir::net_one,
                                                                   .sum = chosen,
                                                                   .parameter = parameter,
                                                                   .zero = in.zero,
                                                                   .low = in.low,
                                                                   .high = in.high},
                                    fmt::format("lane{}", c))
                            .q;
    results.push_back(looked_up(s, in, result, seconds[c]));
  }
  return results;
}

std::vector<UInt> build_maxima(Scope& s, const Slot& slot, const Results& sums) {
  std::vector<UInt> all;
  for (const auto& channel : sums.maximum)
    all.push_back(reg(s, select(s, slot.pixel, std::span<const UInt>(channel))));
  return all;
}

std::vector<UInt> build_seconds(Scope& s, const CorePlan& p, const Ports& in, const Slot& slot,
                                const std::vector<UInt>& maxima, const UInt& part) {
  const auto columns = static_cast<std::size_t>(p.shape.columns),
             parts = static_cast<std::size_t>(p.parts());
  const UInt turn = mux(s, in.depthwise, reg(s, slot.part), part);
  const auto waits = [&](Unit unit) { return static_cast<std::uint32_t>(p.second_waits(unit)); };
  const std::uint32_t few = std::min(waits(Unit::products), waits(Unit::depthwise));
  std::vector<UInt> all;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<UInt> of_parts;
    for (std::size_t i = 0; i < parts; ++i) of_parts.push_back(maxima[i * columns + c]);
    const UInt number = delay(
        s, reg(s, parts == 1 ? of_parts[0] : select(s, turn, std::span<const UInt>(of_parts))),
        few);
    const UInt late =
        delay(s, number, std::max(waits(Unit::products), waits(Unit::depthwise)) - few);
    all.push_back(waits(Unit::depthwise) == few ? mux(s, in.depthwise, number, late)
                                                : mux(s, in.depthwise, late, number));
  }
  return all;
}

}  // namespace kumiki::gen::engine
