// SPDX-License-Identifier: Apache-2.0
// When the signals of a netlist arrive after a clock edge, and from where.
//
// The model has a flip-flop in front of every input of the top and behind every output.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "backends/timing/dsp.h"
#include "backends/timing/netlist.h"
#include "ir/delays.h"

namespace kumiki::backends::timing {

struct Arrival {
  Picoseconds at = never;  // at the pin that drives the net
  std::uint32_t from =
      none;  // the input of the driving cell through which it came; none: a register
};

// Where a path ends: a pin of a cell, or an output of the top.
struct Endpoint {
  std::uint32_t cell = none;
  std::uint32_t pin = 0;  // offset among the cell's inputs, or among the top's output bits
  std::uint32_t net = 0;
  Picoseconds wire = 0, setup = 0;
  Picoseconds needed = 0;  // from the launching edge to the capturing edge
  bool in_half = false;    // these edges are half a clock apart
  // The period of clk that this requires.
  Picoseconds period() const { return in_half ? 2 * needed : needed; }
};

class Arrivals {
 public:
  Arrivals(const Netlist& netlist, const Delays& delays);

  const Arrival& operator[](std::uint32_t net) const { return arrival_[net]; }
  // The wire from the driver of a net to an input of a cell, or (no cell) to an output of the top.
  Picoseconds wire(std::uint32_t net, std::uint32_t cell, std::uint32_t pin) const;
  // All reached endpoints, in the order of the cells, with outputs of the top last.
  void for_each_endpoint(const std::function<void(const Endpoint&)>& action) const;

 private:
  struct Best;
  void launch();
  void launch(std::uint32_t cell);
  void launch_uram(std::uint32_t cell);
  void pass(native::Node node);
  void pass_element(native::Node node);
  void pass_carry(native::Node node);
  void pass_position(std::uint32_t cell, bool sum, std::uint32_t position);
  void pass_shift_register(std::uint32_t cell);
  void pass_memory(std::uint32_t cell);
  void pass_dsp(native::Node node);
  void pass_dsp_output(std::uint32_t cell, unsigned output, std::uint32_t first,
                       std::uint32_t bits_from, std::uint32_t bits_to);
  Picoseconds carry_exit(std::uint32_t net) const;
  bool is_carry_cascade(std::uint32_t net) const;
  bool ignores(std::uint32_t cell, std::uint32_t output, std::uint32_t pin,
               std::uint32_t element) const;
  bool is_zero(std::uint32_t net) const;
  Picoseconds setup(std::uint32_t cell, unsigned pin) const;
  const DspTiming& dsp(std::uint32_t cell) const;
  void set(std::uint32_t net, Picoseconds at, std::uint32_t from);
  Best at_input(std::uint32_t cell, std::uint32_t offset) const;

  const Netlist& netlist_;
  const Delays delays_;
  std::vector<Arrival> arrival_;
  std::vector<Picoseconds> by_fan_out_;  // wires through the fabric
  mutable std::unordered_map<std::uint64_t, DspTiming> dsp_;
};

}  // namespace kumiki::backends::timing
