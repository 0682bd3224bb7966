// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "gen/array/hardware/drain.h"

namespace kumiki::gen::array {
namespace {

// One more where blocks are captured, one less where they are read.
Net waiting(Scope& s, Net captured, Net released, Net rst) {
  Reg<UInt> n(s, 2, {.reset = rst});
  const std::vector<Net> index{n.q()[0], n.q()[1], captured, released};
  n.next(look_up(
      s, 2, [](unsigned v) { return ((v & 3) + (v >> 2 & 1) - (v >> 3)) & 3; }, index));
  return either(s, n.q()[0], n.q()[1]);
}

}  // namespace

Reading build_reading(Scope& s, const ArrayPlan& p, const Config& c, Net block_captured, Net go) {
  Walk walk(s, p, c, Engine::drain);
  Wire<Net> over(s), released_wire(s);
  const Net released = released_wire;
  const Net run = s.named("drain_runs", latch(s, walk.fetch(), over, c.rst));
  const Net there = waiting(s, block_captured, released, c.rst);
  const Net read = all_of(s, std::vector<Net>{go, run, there});
  Reg<Net> half(s, {.enable = released, .reset = c.rst});
  half.next(invert(s, half.q()));

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
  const auto slot_bits =
      static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(p.depth() - 1)));
  out.at = slot_bits == 0 ? bits(s, {half.q()})
                          : cat(s, {bits(s, {half.q()}), slot.value().slice(0, slot_bits)});
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
