// SPDX-License-Identifier: Apache-2.0
// The order in which captured sums are read, counted ahead in two stages: the blocks of a layer,
// and the rows of a block.
#include "gen/layers/array/hardware/count.h"
#include "gen/layers/array/hardware/drain.h"

namespace kumiki::gen::array {
namespace {

// A block of results: its counts minus one, and the words of its rows.
struct Block {
  UInt slots, rows, words, tail;
  Net last;  // of the layer
};

// Counts from a block's number down to 0 and repeats.
class DownOfBlock {
 public:
  DownOfBlock(Scope& s, const UInt& number, Net block)
      : s_(s), number_(number), block_(block), moves_(s), last_(s, {.enable = moves_}) {}
  Net last() const { return last_.q(); }
  void finish(Net step) {
    const std::uint32_t width = number_.width();
    moves_.drive(block_ | step);
    const UInt same = reg(s_, number_, {.enable = block_});
    Reg<UInt> value(s_, width, {.enable = moves_});
    const UInt propagate = lut_o6(
        s_,
        [](bool block, bool last, bool other, bool same, bool value) {
          return block ? other : last ? same : !value;
        },
        SourceLocation::current(), block_, last_.q(), number_, same, value.q());
    const Net counts = s_.net(~block_ & ~last_);
    value.next(carry_chain(s_, propagate, repeat(s_, counts, width), ir::net_zero).sum);
    last_.next(mux(block_, equals(s_, number_, 0),
                   mux(last_, equals(s_, same, 0), equals(s_, value.q(), 1))));
  }

 private:
  Scope& s_;
  UInt number_;
  Net block_;
  Wire<Net> moves_;
  Reg<Net> last_;
};

// Results of a block are numbered across all parts of the array: the T slots of the first part,
// then those of the next.
struct Part {
  UInt number;  // empty if the array cannot be cut
  UInt slot;    // empty if T is 1
};
Part part_of(Scope& s, const ArrayPlan& p, const UInt& count, Net block, Net step, Net count_last) {
  const auto depth = static_cast<std::uint64_t>(p.depth());
  if (p.commons() == 1) return {{}, depth == 1 ? UInt() : count.slice(0, address_width(depth))};
  Part part;
  Net part_last = ir::net_one;
  if (depth > 1) {
    Up slot(s, address_width(depth), block);
    part.slot = slot.value();
    part_last = equals(s, part.slot, depth - 1);
    slot.finish(step, s.net(part_last | count_last));
  }
  Up number(s, p.commons() == 2 ? 1 : 2, block);
  part.number = number.value();
  number.finish(s.net(step & (part_last | count_last)), count_last);
  return part;
}

class Reader {
 public:
  Reader(Scope& s, const ArrayPlan& p, const Config& c)
      : s_(s), p_(p), c_(c), walk_(s, p, c, Engine::drain), next_block_(s), read_(s) {}

  Reading build(Net block_captured, Net room) {
    const Net init = s_.named("drain_init", reg(s_, walk_.fetch(), {.reset = c_.rst}));
    Sequence blocks(s_, init, c_.rst);
    const Block block = block_of(blocks, init);
    Reading out = rows(block, blocks.valid());
    Wire<Net> released(s_);
    const UInt there = up_down(s_, block_captured, released, c_.rst);
    read_.drive(valid_ & room & (there[0] | there[1]));
    released.drive(read_ & block_over_);
    out.released = released;
    out.flags.valid = read_;
    walk_.over(s_.net(read_ & out.flags.last));
    return out;
  }

 private:
  // Counters of the blocks: block in the strip, strip, turn, group.
  Block block_of(Sequence& sequence, Net init) {
    const Net step = sequence.step();
    Down block(s_, walk_.field(fields::drain_blocks), init);
    Down strip(s_, walk_.field(fields::drain_strips), init);
    Down turn(s_, walk_.field(fields::drain_turns), init);
    Down group(s_, walk_.field(fields::drain_groups), init);
    block.finish(step);
    strip.finish(s_.net(step & block.last()));
    turn.finish(s_.net(step & block.last() & strip.last()));
    group.finish(s_.net(step & block.last() & strip.last() & turn.last()));
    auto pick = [&](Net last, const Field& usual, const Field& in_last) {
      return sequence.pass(mux(s_, last, walk_.field(in_last), walk_.field(usual)));
    };
    const Net all_over = s_.net(block.last() & strip.last() & turn.last() & group.last());
    const Block out{.slots = pick(turn.last(), fields::drain_slots, fields::drain_slots_last),
                    .rows = pick(strip.last(), fields::drain_rows, fields::drain_rows_last),
                    .words = pick(block.last(), fields::drain_words, fields::drain_words_last),
                    .tail = pick(strip.last(), fields::drain_tail, fields::drain_tail_last),
                    .last = sequence.pass(all_over)};
    sequence.finish(all_over, next_block_);
    return out;
  }

  // A convolution reads all rows of a slot, then the next slot; a fully connected layer all slots
  // of a row, then the next row.
  Reading rows(const Block& waiting, Net waits) {
    const Net fc = walk_.field(fields::drain_fc)[0];
    Reg<Net> busy(s_, {.reset = c_.rst});
    Skid skid(s_, c_.rst, busy, read_);
    valid_ = skid.valid();
    const Net step = s_.net(busy & skid.ready()), begins = next_block_;
    DownOfBlock slots(s_, waiting.slots, begins), down(s_, waiting.rows, begins);
    const Net slot_last = slots.last(), row_last = down.last();
    const Net slot_step = s_.net(step & (fc | row_last)),
              row_step = s_.net(step & (~fc | slot_last));
    slots.finish(slot_step);
    down.finish(row_step);
    const Bit block_done = slot_last & row_last;
    next_block_.drive(waits & (~busy | (step & block_done)));
    busy.next(next_block_ | (busy & ~(step & block_done)));
    auto held = [&](const UInt& w) { return reg(s_, w, {.enable = begins}); };
    const UInt words = held(waiting.words), tail = held(waiting.tail);
    const Net ends = reg(s_, waiting.last, {.enable = begins});

    Up slot(s_, waiting.slots.width(), begins), row(s_, waiting.rows.width(), begins);
    slot.finish(slot_step, slot_last);
    row.finish(row_step, row_last);
    const Part part = part_of(s_, p_, slot.value(), begins, slot_step, slot_last);
    auto pass = [&](const Bit& b) { return skid.pass(s_.net(b)); };
    Reading out;
    const Net half = pass(half_at_work(s_, s_.net(step & block_done), c_.rst));
    out.at = bits(s_, {half});
    if (p_.depth() > 1) out.at = cat(s_, {out.at, skid.pass(part.slot)});
    block_over_ = pass(block_done);
    RowFlags& f = out.flags;
    f.fc = fc;
    const auto rows = static_cast<std::uint64_t>(p_.rows());
    f.row = skid.pass(row.value().slice(0, address_width(rows)));
    f.odd = f.row[0];
    parts_of(f, part, skid);
    f.first_slot = pass(equals(s_, slot.value(), 0));
    if (p_.request.max_pool || p_.request.average_pool) {
      const UInt pool = walk_.field(fields::drain_pool);
      const Net two = pool[0], three = pool[1], odd = row.value()[0];
      f.pooled = s_.net(two | three);
      f.three = three;
      const Net later_row = any_of(s_, row.value().slice(1, row.value().width() - 1));
      f.emit = pass(mux(fc, slot_last, mux(three, ~odd & later_row, ~two | odd)));
    } else {
      f.emit = pass(~fc | slot_last);
    }
    f.average = walk_.field(fields::drain_average)[0];
    f.relu = walk_.field(fields::drain_relu)[0];
    if (p_.request.float32) f.layer = walk_.layer();
    f.row_last = pass(row_last);
    f.last = pass(block_done & ends);
    f.final = s_.net(f.last & walk_.is_last());
    Bit has_tail = fc & row_last;
    if (p_.request.batched_fc) has_tail &= ~walk_.field(fields::drain_batch)[0];
    f.words = skid.pass(mux(s_, s_.net(has_tail), tail, words));
    return out;
  }

  void parts_of(RowFlags& f, const Part& part, Skid& skid) {
    if (p_.commons() == 1) return;
    const UInt number = skid.pass(part.number);
    if (p_.cuts_across()) f.right = s_.net(walk_.field(fields::drain_across)[0] & number[0]);
    if (!p_.cuts_down()) return;
    // Part 1 is the lower one if the array is not also cut across.
    Bit lower = number[0];
    if (p_.cuts_across()) lower = mux(walk_.field(fields::drain_across)[0], number[1], lower);
    lower &= walk_.field(fields::drain_down)[0];
    const auto offset = static_cast<std::uint64_t>(p_.cut_down().offset);
    const UInt below = add(s_, f.row, s_.constant(offset, f.row.width()));
    f.row = s_.word(mux(lower, below, f.row));
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  Walk walk_;
  Wire<Net> next_block_, read_;
  Net valid_, block_over_;  // of the waiting row
};

}  // namespace

Reading build_reading(Scope& s, const ArrayPlan& p, const Config& c, Net block_captured, Net room) {
  return Reader(s, p, c).build(block_captured, room);
}

}  // namespace kumiki::gen::array
