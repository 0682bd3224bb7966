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

}  // namespace

MemoryQueue::MemoryQueue(Scope& s, std::uint32_t depth, ir::memory::Style style, Net push,
                         Net ready, Net reset)
    : s_(s), depth_(depth), style_(style), push_(push) {
  const std::uint32_t digits = address_width(depth);
  Reg<SInt> stored(s, digits + 1, {.init = (std::uint64_t{2} << digits) - 1, .reset = reset});
  Reg<Net> valid(s, {.reset = reset});
  stored_ = stored.q();
  valid_ = valid.q();
  pops_ = s.net(~stored_.msb() & (~valid | ready));
  valid.next(pops_ | (valid & ~ready));
  // One more, one less or as many, in one carry chain.
  const UInt propagate = lut_o6(
      s,
      [](bool bit, bool pushes, bool none, bool v, bool r) {
        return bit != (!pushes && !none && (!v || r));
      },
      SourceLocation::current(), UInt(Word(stored_)), push, stored_.msb(), valid_, ready);
  stored.next(SInt(Word(carry_chain(s, propagate, stored_, s.net(push & ~pops_)).sum)));
  write_ = pointer(s, depth, push, reset);
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

}  // namespace kumiki::gen
