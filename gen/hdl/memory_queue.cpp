// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/memory_queue.h"

#include <bit>

#include "gen/hdl/cycle.h"
#include "gen/hdl/lut.h"

namespace kumiki::gen {
namespace {

UInt pointer(Scope& s, std::uint32_t depth, Net moves, Net reset) {
  if (!std::has_single_bit(depth)) return Cycle(s, depth, moves, reset).at();
  Reg<UInt> at(s, address_width(depth), {.enable = moves, .reset = reset});
  at.next(increment(s, at.q()));
  return at.q();
}

// The number of words in the next clock: one more, one less or as many, in one carry chain. Without
// a condition for room, `pops` and `comes` suffice for its carry.
Word next_stored(Scope& s, const SInt& stored, Net comes, Net room, Net valid, Net ready,
                 Net pops) {
  const SourceLocation here = SourceLocation::current();
  const Net none = stored.msb();
  const auto differs = [](bool bit, bool pushes, bool empty, bool v, bool r) {
    return bit != (!pushes && !empty && (!v || r));
  };
  const UInt bits(Word{stored});
  if (room == ir::net_one)
    return carry_chain(s, lut_o6(s, differs, here, bits, comes, none, valid, ready), stored,
                       s.net(comes & ~pops))
        .sum;
  const UInt differ = lut_o6(
      s,
      [&](bool bit, bool come, bool empty, bool v, bool r, bool has_room) {
        return differs(bit, come && has_room, empty, v, r);
      },
      here, bits, comes, none, valid, ready, room);
  return carry_chain(s, differ, stored, s.net(comes & room & (none | (valid & ~ready)))).sum;
}

}  // namespace

MemoryQueue::MemoryQueue(Scope& s, std::uint32_t depth, ir::memory::Style style, Net comes,
                         Net ready, Net reset, Net room)
    : s_(s), depth_(depth), style_(style), push_(s.net(comes & room)) {
  const std::uint32_t digits = address_width(depth);
  Reg<SInt> stored(s, digits + 1, {.init = (std::uint64_t{2} << digits) - 1, .reset = reset});
  Reg<Net> valid(s, {.reset = reset});
  stored_ = stored.q();
  valid_ = valid.q();
  pops_ = s.net(~stored_.msb() & (~valid | ready));
  valid.next(pops_ | (valid & ~ready));
  stored.next(SInt(next_stored(s, stored_, comes, room, valid_, ready, pops_)));
  write_ = pointer(s, depth, push_, reset);
  read_ = pointer(s, depth, pops_, reset);
  s.named("stored", stored_);
}

UInt MemoryQueue::pass(const UInt& word) const {
  return Memory{.depth = depth_,
                .width = word.width(),
                .style = style_,
                .write_enable = push_,
                .write_address = write_,
                .write_data = word,
                .read_enable = pops_,
                .read_address = read_}
      .add_to(s_);
}

RoomQueue::RoomQueue(Scope& s, std::uint32_t depth, ir::memory::Style style, Net comes, Net ready,
                     Net reset)
    : s_(s),
      room_(s, {.init = 1, .reset = reset}),
      queue_(s, depth, style, comes, ready, reset, room_) {
  const Net last_room = equals(s, UInt(Word(queue_.stored())), std::uint64_t{depth} - 2);
  room_.next(queue_.pops() | (room_ & ~(queue_.push() & last_room)));
}

Net RoomQueue::is_empty() const { return s_.net(queue_.stored().msb() & ~queue_.valid()); }

}  // namespace kumiki::gen
