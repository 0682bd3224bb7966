// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/drain.h"

namespace kumiki::gen::array {
namespace {

// Results of a block are numbered through all parts of the array: the T slots of the first part,
// then those of the next.
struct Part {
  UInt number;  // empty where the array cannot be cut
  UInt slot;    // empty where T is 1
};
Part part_of(Scope& s, const ArrayPlan& p, const Config& c, const UInt& count, Net step,
             Net count_last) {
  const auto depth = static_cast<std::uint64_t>(p.depth());
  if (p.commons() == 1) return {{}, depth == 1 ? UInt() : count.slice(0, address_width(depth))};
  Part part;
  Net part_last = ir::net_one;
  if (depth > 1) {
    Count slot(s, address_width(depth), c.rst);
    part.slot = slot.value();
    part_last = equals(s, part.slot, depth - 1);
    slot.finish(step, s.net(part_last | count_last));
  }
  Count number(s, p.commons() == 2 ? 1 : 2, c.rst);
  part.number = number.value();
  number.finish(s.net(step & (part_last | count_last)), count_last);
  return part;
}

}  // namespace

Reading build_reading(Scope& s, const ArrayPlan& p, const Config& c, Net block_captured, Net go) {
  Walk walk(s, p, c, Engine::drain);
  Wire<Net> over(s), released_wire(s);
  const Net released = released_wire;
  const Net run = s.named("drain_runs", latch(s, walk.fetch(), over, c.rst));
  const Net there = any_of(s, up_down(s, block_captured, released, c.rst));
  const Net read = s.net(go & run & there);
  const Net half = half_at_work(s, released, c.rst);

  auto pick = [&](Net last, const Field& usual, const Field& in_last) {
    return mux(s, last, walk.field(in_last), walk.field(usual));
  };
  const Net fc = walk.field(fields::drain_fc)[0];
  // Counters of the block: block in the strip, strip, turn, group.
  const UpTo block = up_to(s, walk.field(fields::drain_blocks), released, c.rst);
  const Net strip_step = s.net(released & block.last);
  const UpTo strip = up_to(s, walk.field(fields::drain_strips), strip_step, c.rst);
  const Net turn_step = s.net(strip_step & strip.last);
  const UpTo turn = up_to(s, walk.field(fields::drain_turns), turn_step, c.rst);
  const Net group_step = s.net(turn_step & turn.last);
  const UpTo group = up_to(s, walk.field(fields::drain_groups), group_step, c.rst);
  const Net all_over = s.net(block.last & strip.last & turn.last & group.last);

  // A convolution reads all rows of a slot, then the next slot; a fully connected layer all slots
  // of a row, then the next row.
  Count slot(s, static_cast<std::uint32_t>(fields::drain_slots.width), c.rst);
  Count row(s, static_cast<std::uint32_t>(fields::drain_rows.width), c.rst);
  const Net slot_last =
      equals(s, slot.value(), pick(turn.last, fields::drain_slots, fields::drain_slots_last));
  const Net row_last =
      equals(s, row.value(), pick(strip.last, fields::drain_rows, fields::drain_rows_last));
  const Net slot_step = s.net(read & (fc | row_last));
  slot.finish(slot_step, slot_last);
  row.finish(s.net(read & (~fc | slot_last)), row_last);
  const Net block_done = s.net(slot_last & row_last);
  released_wire.drive(read & block_done);
  over.drive(released & all_over);
  walk.over(over);

  const Part part = part_of(s, p, c, slot.value(), slot_step, slot_last);
  Reading out;
  out.released = released;
  const UInt half_bit = bits(s, {half});
  out.at = p.depth() == 1 ? half_bit : cat(s, {half_bit, part.slot});
  RowFlags& f = out.flags;
  f.valid = read;
  f.fc = fc;
  f.odd = row.value()[0];
  f.row = row.value();
  if (p.cuts_across()) f.right = s.net(walk.field(fields::drain_across)[0] & part.number[0]);
  if (p.cuts_down()) {
    // Part 1 is the lower one where the array is not cut across as well.
    Bit lower = part.number[0];
    if (p.cuts_across()) lower = mux(walk.field(fields::drain_across)[0], part.number[1], lower);
    lower &= walk.field(fields::drain_down)[0];
    f.row = f.row.slice(0, address_width(static_cast<std::uint64_t>(p.rows())));
    const auto offset = static_cast<std::uint64_t>(p.cut_down().offset);
    const UInt below = add(s, f.row, s.constant(offset, f.row.width()));
    f.row = s.word(mux(lower, below, f.row));
  }
  f.first_slot = equals(s, slot.value(), 0);
  if (p.request.max_pool || p.request.average_pool) {
    const UInt pool = walk.field(fields::drain_pool);
    const Net two = pool[0], three = pool[1];
    f.pooled = s.net(two | three);
    f.three = three;
    const Net later_row = any_of(s, row.value().slice(1, row.value().width() - 1));
    const Bit of_rows = mux(three, ~f.odd & later_row, ~two | f.odd);
    f.emit = s.net(mux(fc, slot_last, of_rows));
  } else {
    f.emit = s.net(~fc | slot_last);
  }
  f.average = walk.field(fields::drain_average)[0];
  f.relu = walk.field(fields::drain_relu)[0];
  if (p.request.float32) f.layer = walk.layer();
  f.row_last = row_last;
  f.last = s.net(block_done & all_over);
  f.final = s.net(f.last & walk.is_last());
  const UInt tail = pick(strip.last, fields::drain_tail, fields::drain_tail_last);
  const UInt words = pick(block.last, fields::drain_words, fields::drain_words_last);
  Bit has_tail = fc & row_last;
  if (p.request.batched_fc) has_tail &= ~walk.field(fields::drain_batch)[0];
  f.words = mux(s, s.net(has_tail), tail, words);
  return out;
}

}  // namespace kumiki::gen::array
