// SPDX-License-Identifier: Apache-2.0
// A queue of words in a memory; its first word is in the memory's output register. So valid and the
// shown word come from registers. The sender must ensure that there is room.
#pragma once
#include <cstdint>

#include "gen/hdl/arithmetic.h"
#include "gen/hdl/cells.h"
#include "gen/hdl/state.h"

namespace kumiki::gen {

class MemoryQueue {
 public:
  // `depth`: words of the memory, at least 2. `ready`: of the part after. A word that comes is
  // stored if there is room; the two are separate because each of them may come late in a clock.
  MemoryQueue(Scope& s, std::uint32_t depth, ir::memory::Style style, Net comes, Net ready,
              Net reset, Net room = ir::net_one);
  Net valid() const { return valid_; }
  Net push() const { return push_; }  // a word is stored
  Net pops() const { return pops_; }  // a word leaves the memory
  // The number of words in the memory, less one. It is -1 if the memory is empty, and never lower.
  const SInt& stored() const { return stored_; }
  // Stores another part of the same words, in a memory of its own.
  UInt pass(const UInt& word) const;
  Net pass(Net n) const { return pass(bits(s_, {n}))[0]; }

 private:
  Scope& s_;
  std::uint32_t depth_;
  ir::memory::Style style_;
  Net push_, valid_, pops_;
  SInt stored_;
  UInt write_, read_;
};

// A queue that says from a register whether it has room.
class RoomQueue {
 public:
  RoomQueue(Scope& s, std::uint32_t depth, ir::memory::Style style, Net comes, Net ready,
            Net reset);
  Net has_room() const { return room_; }
  Net valid() const { return queue_.valid(); }
  // Neither in the memory nor in its output register.
  Net is_empty() const;
  UInt pass(const UInt& word) const { return queue_.pass(word); }
  Net pass(Net n) const { return queue_.pass(n); }

 private:
  Scope& s_;
  Reg<Net> room_;
  MemoryQueue queue_;
};

}  // namespace kumiki::gen
