// SPDX-License-Identifier: Apache-2.0
// A netlist and its reference side by side over some clocks, as one graph without registers.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

// The positions of the bits of `these` among `those`; DesignError if one is missing.
std::vector<std::size_t> places(const std::vector<Circuit::Bit>& these,
                                const std::vector<Circuit::Bit>& those);

class Unrolled {
 public:
  // DesignError if a port of one is missing in the other.
  Unrolled(const Circuit& gold, const Circuit& gate);

  void power_up();   // every register at its initial value
  void any_state();  // every register free
  // A free state, equal on both sides, which must have the same registers.
  void any_common_state();
  // Makes outputs that are registers on both sides hold the same free value. Skips outputs that are
  // valid only while another one is 1.
  void agree(const std::vector<std::optional<std::size_t>>& when);
  // One clock. `held` gives the values of ports by name; other inputs are free.
  void clock(const std::vector<std::pair<std::string, bool>>& held);
  // One clock with en = 1 or rst = 1.
  void moving_clock();

  const Aig& aig() const { return aig_; }
  Aig& aig() { return aig_; }
  std::size_t frames() const { return frames_.size(); }
  struct Side {
    const Circuit* circuit;
    std::vector<Literal> state;
  };
  struct Frame {
    std::vector<Literal> inputs;      // in the order of the reference's inputs
    std::vector<Literal> gold, gate;  // outputs in the order of the reference's
    std::vector<Literal> gold_nets, gate_nets;
  };
  const Frame& frame(std::size_t i) const { return frames_[i]; }
  const Side& gold() const { return gold_; }
  const Side& gate() const { return gate_; }

 private:
  std::vector<Literal> copy(const Side& side, const std::vector<Literal>& inputs,
                            const std::vector<Literal>& wanted);
  void add_frame(std::vector<Literal> inputs);
  Aig aig_;
  Side gold_, gate_;
  std::vector<std::size_t> gate_input_, gate_output_;  // for every one of the reference
  std::vector<Frame> frames_;
};

}  // namespace kumiki::backends::proof
