// SPDX-License-Identifier: Apache-2.0
// Drives the ports of a layer by its beats: it offers the words of sets in sequence and takes the
// words of the results.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/layer/layer.h"

namespace kumiki::flow {

// An array of numbers that a layer takes or gives in every set.
struct Operand {
  std::string name;               // of the port, or of its part
  std::vector<std::string> axes;  // "channel", "y", "x"
  std::vector<std::size_t> shape;
  gen::arith::Interval range;  // of all its numbers
  gen::Beat beat;
  ir::PortSlot slot;
  // The array index of each element of a word; -1: padding. [word][element]
  std::vector<std::vector<std::int64_t>> place;
  std::vector<gen::arith::Format> formats;  // of the array's numbers, in order

  std::size_t size() const { return formats.size(); }
};

// How sets enter and leave.
struct SetShape {
  ir::PortLayout ports;
  std::vector<Operand> in, out;
  std::size_t words = 1;              // in a set
  std::optional<ir::PortSlot> valid;  // of the operands; empty: valid in every clock
  std::vector<ir::PortSlot> ready;    // outputs that must be 1 when a word is taken
  std::vector<ir::PortSlot> ones;     // inputs that stay 1: enables, and the ready of results
  std::size_t latest = 0;             // the most clocks between a word and one of its elements
  bool runs_on = false;               // only the first word of a set needs `valid`
};
// UsageError: the layer does not process sets.
SetShape shape_of_sets(const gen::NamedLayer& layer, const ir::PortLayout& ports);

// Sends sets in sequence through one machine.
class SetHost {
 public:
  // Sends `count` sets from `first` on, out of arrays that hold all sets; both must outlive the
  // host.
  SetHost(const SetShape& shape, const std::vector<std::vector<std::int64_t>>& in,
          std::vector<std::vector<std::int64_t>>& out, std::size_t first, std::size_t count);

  void drive(ir::Frame& in);
  void watch(const ir::Frame& in, const ir::Frame& out);  // reads what the layer shows in this
                                                          // clock
  bool is_through() const { return sets_done() == count_; }
  std::size_t sets_done() const;
  std::int64_t idle() const { return idle_; }  // clocks since the last word moved
  // The index of the set of the last driven word; empty: none.
  std::optional<std::size_t> set_driven() const;

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t word_at(const std::vector<std::int64_t>& history, std::size_t late) const;

  const SetShape& shape_;
  const std::vector<std::vector<std::int64_t>>& in_;
  std::vector<std::vector<std::int64_t>>& out_;
  std::size_t first_, count_;
  std::int64_t next_ = 0;  // next word to offer
  std::int64_t clock_ = 0, idle_ = 0;
  std::vector<std::int64_t> offered_;               // words of the last clocks, a ring buffer
  std::vector<std::vector<std::int64_t>> arrived_;  // for each output
  std::vector<std::int64_t> begun_, ended_;         // words of each output
};

}  // namespace kumiki::flow
