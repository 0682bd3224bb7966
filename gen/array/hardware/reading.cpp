// SPDX-License-Identifier: Apache-2.0
#include "gen/array/hardware/drain.h"

namespace kumiki::gen::array {
Reading build_reading(Scope& s, const ArrayPlan& p, const Config& c, Net block_captured, Net go) {
  Walk walk(s, p, c, Engine::drain);
  Wire<Net> over(s), released_wire(s);
  const Net released = released_wire;
  const Net run = s.named("drain_runs", latch(s, walk.fetch(), over, c.rst));
  const Net there = any_of(s, up_down(s, block_captured, released, c.rst));
  const Net read = all_of(s, std::vector<Net>{go, run, there});
  const Net half = half_at_work(s, released, c.rst);

  auto pick = [&](Net last, const Field& usual, const Field& in_last) {
    return mux(s, last, walk.field(in_last), walk.field(usual));
  };
  const Net fc = walk.field(fields::drain_fc)[0];
  // Blocks, strips, turns, groups: what the place of a block says.
  const UpTo block = up_to(s, walk.field(fields::drain_blocks), released, c.rst);
  const Net strip_step = both(s, released, block.last);
  const UpTo strip = up_to(s, walk.field(fields::drain_strips), strip_step, c.rst);
  const Net turn_step = both(s, strip_step, strip.last);
  const UpTo turn = up_to(s, walk.field(fields::drain_turns), turn_step, c.rst);
  const Net group_step = both(s, turn_step, turn.last);
  const UpTo group = up_to(s, walk.field(fields::drain_groups), group_step, c.rst);
  const Net all_over = all_of(s, std::vector<Net>{block.last, strip.last, turn.last, group.last});

  // Convolution: rows of a slot; fully connected: slots of a row.
  Count slot(s, static_cast<std::uint32_t>(fields::drain_slots.width), c.rst);
  Count row(s, static_cast<std::uint32_t>(fields::drain_rows.width), c.rst);
  const Net slot_last =
      equals(s, slot.value(), pick(turn.last, fields::drain_slots, fields::drain_slots_last));
  const Net row_last =
      equals(s, row.value(), pick(strip.last, fields::drain_rows, fields::drain_rows_last));
  slot.finish(
      lut(
          s, [](bool r, bool f, bool other) { return r && (f || other); }, read, fc, row_last),
      slot_last);
  row.finish(
      lut(
          s, [](bool r, bool f, bool other) { return r && (!f || other); }, read, fc, slot_last),
      row_last);
  const Net block_done = both(s, slot_last, row_last);
  released_wire.drive(both(s, read, block_done));
  over.drive(both(s, released, all_over));
  walk.over(over);

  Reading out;
  out.released = released;
  const UInt half_bit = bits(s, {half});
  out.at = p.depth() == 1
               ? half_bit
               : cat(s, {half_bit, slot.value().slice(
                                       0, address_width(static_cast<std::uint64_t>(p.depth())))});
  RowFlags& f = out.flags;
  f.valid = read;
  f.fc = fc;
  f.odd = row.value()[0];
  f.row = row.value();
  f.first_slot = equals(s, slot.value(), 0);
  if (p.request.max_pool || p.request.average_pool) {
    const UInt pool = walk.field(fields::drain_pool);
    f.pooled = either(s, pool[0], pool[1]);
    f.three = pool[1];
    const Net later_row = any_of(s, row.value().slice(1, row.value().width() - 1));
    f.emit = lut(
        s,
        [](bool is_fc, bool sl, bool two, bool three, bool odd, bool later) {
          if (is_fc) return sl;
          if (three) return !odd && later;
          return !two || odd;
        },
        fc, slot_last, pool[0], pool[1], f.odd, later_row);
  } else {
    f.emit = lut(
        s, [](bool is_fc, bool sl) { return !is_fc || sl; }, fc, slot_last);
  }
  f.average = walk.field(fields::drain_average)[0];
  f.relu = walk.field(fields::drain_relu)[0];
  f.row_last = row_last;
  f.last = both(s, block_done, all_over);
  f.final = both(s, f.last, walk.is_last());
  const UInt tail = pick(strip.last, fields::drain_tail, fields::drain_tail_last);
  const UInt words = pick(block.last, fields::drain_words, fields::drain_words_last);
  f.words = mux(s, both(s, fc, row_last), tail, words);
  return out;
}

}  // namespace kumiki::gen::array
