// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/core.h"

#include <fmt/format.h>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"
#include "gen/layers/engine/hardware/sum_tables.h"

namespace kumiki::gen::engine {
namespace {

std::vector<UInt> shapes(std::int64_t count, std::uint32_t width) {
  return std::vector<UInt>(static_cast<std::size_t>(count), UInt::shape(width));
}

}  // namespace

CoreIn<Hardware> input_shape(const CorePlan& p) {
  CoreIn<Hardware> in;
  const UInt place = UInt::shape(p.place_bits()), coordinate = UInt::shape(p.coordinate_bits),
             number = UInt::shape(8);
  in.from = in.block_step = in.tile_step = in.repeat_step = place;
  in.blocks = in.words = UInt::shape(p.count_bits());
  in.taps = UInt::shape(p.tap_bits());
  in.tap_number = UInt::shape(p.tap_bits() + 1);
  in.table_number = UInt::shape(10);
  in.table_entry = UInt::shape(SumTables::bits);
  in.repeats = in.pitch = in.width = in.height = coordinate;
  in.sets = in.target = in.target_step = in.second = in.second_step = place;
  in.tiles = UInt::shape(CorePlan::tile_bits);
  in.again = UInt::shape(1);
  in.column_phases = in.line_phases = UInt::shape(CorePlan::phase_bits);
  in.pad = in.zero = in.low = in.high = number;
  in.part = UInt::shape(CorePlan::part_bits);
  in.column_step = in.other_column_step = in.line_step = in.other_line_step = in.tap_offset = place;
  in.tap_bounds = shapes(4, p.coordinate_bits);
  in.w_data = shapes(p.shape.beat_bytes(), 8);
  in.p_data = UInt::shape(p.parameter_bits);
  in.m_to = in.m_from = place;
  in.m_parts = UInt::shape(static_cast<std::uint32_t>(p.parts()));
  in.m_data = shapes(p.shape.rows, 8);
  return in;
}

CoreOut<Hardware> output_shape(const CorePlan& p) {
  CoreOut<Hardware> out;
  out.m_word = shapes(p.shape.rows, 8);
  return out;
}

CoreOut<Hardware> build_core(Scope& s, const CorePlan& p, const CoreIn<Hardware>& in) {
  s.module().set_about(fmt::format("{} rows x {} columns x {} pixels", p.shape.rows,
                                   p.shape.columns, EngineShape::pixels));
  const auto later = [&](Net n, int clocks) {
    return packing::delayed_valid(s, n, clocks, ir::net_one, in.rst);
  };
  Wire<Net> has_weights(s), switches(s);
  const Issued issued = build_walk(s, p, in, has_weights);
  const Net claims = reg(s, issued.claims, {.reset = in.rst});
  const Ring ring = build_ring(s, p, in, claims, s.net(issued.ends_tile & ~Bit(in.maximum)));
  const Parameters parameters = build_parameters(s, p, in, s.net(claims & ~in.maximum), switches);
  Reg<Net> ready(s, {.reset = in.rst});
  ready.next(ring.has_tile & (in.maximum | parameters.has_tile) & ~claims);
  has_weights.drive(ready.q());

  // What ends, in the clock before its results are held; then on their way to the memory.
  // The lines of other units must be empty when their operation begins.
  const Bit is_products = ~in.depthwise & ~in.maximum;
  const auto of_lanes = [&](Net n, const auto& clocks) {
    return s.net(Bit(later(s.net(n & is_products), clocks(Unit::products))) |
                 Bit(later(s.net(n & in.depthwise), clocks(Unit::depthwise))));
  };
  const auto of_unit = [&](Net n, const auto& clocks) {
    return s.net(Bit(of_lanes(n, clocks)) |
                 Bit(later(s.net(n & in.maximum), clocks(Unit::maximum))));
  };
  const auto before_held = [&](Unit unit) { return p.held(unit) - 1; };
  const Net ends = of_lanes(issued.ends, before_held);
  switches.drive(reg(s, of_lanes(issued.ends_first, before_held), {.reset = in.rst}));
  const int before_maximum = before_held(Unit::maximum);
  const Net ends_maximum = later(s.net(issued.second | (issued.ends & in.maximum)), before_maximum);
  const auto begins_written = [&](Unit unit) { return p.written(unit) - 1; };
  const auto last_written = [&](Unit unit) { return p.last_written(unit); };
  const Written written = build_writing(s, p, in, of_unit(issued.ends, begins_written),
                                        of_unit(issued.ends_tile, last_written));
  // Padding, results of the lanes and the movers' words share the banks' write ports: movers come
  // last.
  const Net pads = reg(s, in.start, {.reset = in.rst});

  MapWrite write{};
  {
    const auto parts = static_cast<std::uint32_t>(p.parts());
    const UInt place = mux(s, written.is_busy, written.place, in.m_to);
    for (std::uint32_t bank = 0; bank < EngineShape::pixels; ++bank)
      for (std::uint32_t part = 0; part < parts; ++part) {
        const Bit here = Bit(equals(s, place.slice(0, 2), bank));
        write.enable.push_back(s.net(pads | (here & ((written.writes & written.part[part]) |
                                                     (in.m_write & in.m_parts[part])))));
      }
    write.row = mux(s, pads, s.constant(static_cast<std::uint64_t>(p.padding_row()), p.bank_bits()),
                    place.slice(2, p.bank_bits()));
  }
  Wire<UInt> lanes(s, static_cast<std::uint32_t>(8 * p.shape.columns)),
      maxima(s, static_cast<std::uint32_t>(8 * p.shape.rows));
  for (std::int64_t channel = 0; channel < p.shape.rows; ++channel) {
    const auto column = static_cast<std::uint32_t>(channel % p.shape.columns);
    write.data.push_back(lut(
        s,
        [](bool result, bool second, bool pad, bool m, bool lane, bool most) {
          return result ? (second ? most : lane) : second ? m : pad;
        },
        written.is_busy, written.second_choice, in.pad,
        in.m_data[static_cast<std::size_t>(channel)], lanes.get().slice(8 * column, 8),
        maxima.get().slice(8 * static_cast<std::uint32_t>(channel), 8)));
  }
  const auto banks = build_maps(s, p, issued, write);
  const Results held = build_units(s, p, in, issued, banks, ring.write,
                                   later(issued.ends, p.held(Unit::products) - 1),
                                   later(issued.ends, p.held(Unit::depthwise) - 1));
  const auto joined = [&](const std::vector<UInt>& words) {
    return cat(s, std::vector<Word>(words.rbegin(), words.rend()));
  };
  const Slot of_maxima = slot_of(s, p, in, ends_maximum);
  const std::vector<UInt> of_pixel = build_maxima(s, of_maxima, held);
  maxima.drive(joined(of_pixel));
  const UInt part = reg(s, reg(s, delay(s, issued.part, static_cast<std::uint32_t>(before_maximum)),
                               {.enable = ends_maximum}));
  const auto seconds = build_seconds(s, p, in, of_maxima, of_pixel, part);
  lanes.drive(joined(build_lanes(s, p, in, slot_of(s, p, in, ends), held, parameters, seconds)));

  CoreOut<Hardware> out{};
  Reg<Net> busy(s, {.reset = in.rst});
  busy.next((busy & ~of_unit(issued.ends_all, [&](Unit unit) { return p.ends(unit); })) | in.start);
  out.busy = busy;
  out.w_ready = ring.has_room;
  out.p_ready = parameters.has_room;
  out.m_writes = written.rests;
  out.m_reads = s.net(~issued.reads);
  out.m_valid = later(in.m_read, p.read_clocks());
  out.m_word = held.word;
  return out;
}

}  // namespace kumiki::gen::engine
