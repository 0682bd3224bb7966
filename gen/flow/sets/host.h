// SPDX-License-Identifier: Apache-2.0
// What stands at the ports of a layer and knows its beats: it offers the words of sets one behind
// the other, and takes the words of the results.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/layer/layer.h"

namespace kumiki::flow {

// An array of numbers that a layer takes or gives with every set.
struct Operand {
  std::string name;               // of the port, or of its part
  std::vector<std::string> axes;  // "channel", "y", "x"
  std::vector<std::size_t> shape;
  gen::arith::Interval range;  // of all its numbers
  gen::Beat beat;
  ir::PortSlot slot;
  // Which number of the array an element of a word is; -1: padding. [word][element]
  std::vector<std::vector<std::int64_t>> place;
  std::vector<gen::arith::Format> formats;  // of the array's numbers, in their order

  std::size_t size() const { return formats.size(); }
};

// How sets enter and leave.
struct SetShape {
  ir::PortLayout ports;
  std::vector<Operand> in, out;
  std::size_t words = 1;              // of a set
  std::optional<ir::PortSlot> valid;  // of the operands; none: in every clock
  std::vector<ir::PortSlot> ready;    // outputs that have to be 1 for a word to be taken
  std::vector<ir::PortSlot> ones;     // inputs that stay 1: enables, and that we take results
  std::size_t latest = 0;             // the most clocks that an element comes after its word
  bool runs_on = false;               // `valid` counts for the first word of a set alone
};
// UsageError: sets do not go through such a layer.
SetShape shape_of_sets(const gen::NamedLayer& layer, const ir::PortLayout& ports);

// One behind the other through one machine.
class SetHost {
 public:
  // Sets `first` and so many behind it, of arrays that hold all sets; both live as long.
  SetHost(const SetShape& shape, const std::vector<std::vector<std::int64_t>>& in,
          std::vector<std::vector<std::int64_t>>& out, std::size_t first, std::size_t count);

  void drive(ir::Frame& in);
  void watch(const ir::Frame& in, const ir::Frame& out);  // what the layer shows then
  bool is_through() const { return sets_done() == count_; }
  std::size_t sets_done() const;
  std::int64_t idle() const { return idle_; }  // clocks since a word moved
  // Of the word that was driven last, in the arrays; nothing: none.
  std::optional<std::size_t> set_driven() const;

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t word_at(const std::vector<std::int64_t>& history, std::size_t late) const;

  const SetShape& shape_;
  const std::vector<std::vector<std::int64_t>>& in_;
  std::vector<std::vector<std::int64_t>>& out_;
  std::size_t first_, count_;
  std::int64_t next_ = 0;  // word to be offered
  std::int64_t clock_ = 0, idle_ = 0;
  std::vector<std::int64_t> offered_;               // word of the last clocks, a ring
  std::vector<std::vector<std::int64_t>> arrived_;  // of every output
  std::vector<std::int64_t> begun_, ended_;         // words of every output
};

}  // namespace kumiki::flow
