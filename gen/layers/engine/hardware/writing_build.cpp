// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"

namespace kumiki::gen::engine {
Written build_writing(Scope& s, const CorePlan& p, const Ports& in, Net begins, Net ends_tile) {
  const std::uint32_t places = p.place_bits();
  // Four pixels follow each other, or all parts of four pixels.
  const auto parts = static_cast<std::uint32_t>(p.parts());
  Bit some = begins, more = ir::net_zero;
  Net before = begins;
  for (std::int64_t clock = 1; clock < p.slots(Unit::depthwise); ++clock) {
    const bool is_more = clock >= p.slots(Unit::products);
    before = reg(s, s.net(is_more ? before & in.depthwise : Bit(before)), {.reset = in.rst});
    (is_more ? more : some) |= before;
  }
  const Net is_busy = reg(s, s.net(some | more), {.reset = in.rst});
  Reg<Net> rests(s, {.init = 1, .reset = in.rst});
  rests.next(~(some | more | in.start));
  const Net second_choice = reg(s, s.net(mux(some | more, in.maximum, ~in.start)));
  const Net restarts = s.net(in.start | ends_tile);
  std::vector<Net> part{ir::net_one};
  Net ends_block = ir::net_one, moves = is_busy;
  if (parts > 1) {
    // By tile, or from clock to clock.
    Reg<UInt> at(s, parts, {.enable = s.net(restarts | (is_busy & in.depthwise))});
    const UInt turned = cat(s, {at.q().slice(0, parts - 1), at.q().slice(parts - 1, 1)});
    std::vector<Net> first;
    for (std::uint32_t i = 0; i < parts; ++i) first.push_back(equals(s, in.part, i));
    at.next(mux(s, in.start, bits(s, first), turned));
    part.assign(at.q().nets().begin(), at.q().nets().end());
    ends_block = s.net(part.back() | in.depthwise | in.maximum);
    moves = s.net(is_busy & (~Bit(in.depthwise) | part.back()));
    for (Net& one : part) one = s.net(one | in.maximum);
  }

  const Loop of_pitch(s, in.pitch, moves, restarts);
  const Net ends_line = s.net(moves & of_pitch.last());
  const Net new_line = s.net(restarts | ends_line);
  const Loop of_width(s, in.width, moves, new_line);
  const Loop of_height(s, in.height, ends_line, restarts);
  Reg<Net> is_in_line(s, {.enable = s.net(moves | restarts)}),
      is_in_map(s, {.enable = s.net(ends_line | restarts)});
  is_in_line.next(new_line | (is_in_line & ~of_width.last()));
  is_in_map.next(restarts | (is_in_map & ~of_height.last()));

  // The first place of the tile after this one, and of the line after this one.
  Reg<UInt> tile(s, places, {.enable = restarts});
  const UInt next_block = reg(s, add(s, tile.q(), in.target_step)),
             next_tile = reg(s, mux(s, ends_block, next_block, tile.q()));
  tile.next(mux(s, in.start, in.target, next_tile));

  // Of some steps in turn the last one differs, so that phases have their places.
  const Loop of_line_phases(s, in.line_phases, ends_line, restarts),
      of_column_phases(s, in.column_phases, moves, new_line);
  const UInt line_step = reg(s, mux(s, of_line_phases.last(), in.other_line_step, in.line_step));
  Reg<UInt> column_step(s, places, {.enable = s.net(moves | restarts)});
  column_step.next(mux(s, s.net(~Bit(new_line) & of_column_phases.before_last()),
                       in.other_column_step, in.column_step));

  Reg<UInt> line(s, places, {.enable = new_line}),
      place(s, places, {.enable = s.net(moves | restarts)});
  const UInt next_line = reg(s, add(s, line.q(), line_step));
  const UInt back = lut(
      s,
      [](bool starts, bool ends, bool first, bool tile, bool line) {
        return starts ? first : ends ? tile : line;
      },
      in.start, ends_tile, in.target, next_tile, next_line);
  line.next(back);
  place.next(mux(s, new_line, back, add(s, place.q(), column_step.q())));
  return {.writes = s.net(is_busy & is_in_line & is_in_map),
          .is_busy = is_busy,
          .rests = rests,
          .second_choice = second_choice,
          .place = place.q(),
          .part = part};
}

}  // namespace kumiki::gen::engine
