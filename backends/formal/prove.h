// SPDX-License-Identifier: Apache-2.0
// Is a netlist equal to a reference in plain Verilog, in every clock, whatever comes in?
//
// A pipeline without feedback is proved without a bound, by facts about netlist and reference. With
// en = 0 and rst = 0 every register keeps its value and no output looks at an input. From ANY state
// they agree after `depth` clocks with en = 1. From any state they agree in the `depth` clocks
// behind a reset, and they agree in the first clocks from power-up. By the first fact, clocks with
// en = 0 can be left out of any run; the others cover every clock that is left. A netlist that this
// does not fit needs an invariant that makes both agree for ever (reach.h). If none is found in
// half of the time, they are compared from power-up, clock by clock, everything free.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "backends/formal/circuit.h"

namespace kumiki::backends::proof {

struct Question {
  std::string reference;  // Verilog with a module `gold` of the netlist's ports
  unsigned depth = 0;     // clocks from the first operand to a result; 0: no registers
  bool flushes = true;    // no feedback: after `depth` clocks nothing older counts
  // An output that counts only while another one is 1.
  std::vector<std::pair<std::string, std::string>> while_one = {};
  std::string parts = {};  // the template with modules that the reference uses; empty: none
  // Outputs that are sums, or parts of outputs ("y[15:8]"), and words inside `gold` that are sums
  // which others compare.
  struct Sums {
    std::vector<std::string> ports = {}, words = {};
    bool any() const { return !ports.empty() || !words.empty(); }
  };
  Sums sums = {};
};

struct Effort {
  unsigned clocks = 0;     // at most, where there is a bound; 0: three times the depth and 8
  unsigned seconds = 60;   // gates by Yosys included
  bool invariants = true;  // look for what holds in every state that can be reached
};

enum class Status { proved, bounded, unfinished, refuted };
std::string_view name(Status status);  // "proved", "proved to a bound", ...

struct Counterexample {
  struct Port {
    std::string name, value;  // as Verilog writes it: 8'h2a
  };
  std::vector<std::vector<Port>> inputs;  // clock by clock, from power-up
  std::string output, expected, got;      // in the last of these clocks
};

struct Verdict {
  Status status = Status::unfinished;
  unsigned clocks = 0;   // that are proved, when not all are
  std::string method;    // "one clock", "any state", "invariant", "induction", "from power-up"
  bool by_sums = false;  // what adders keep took part (sums.h)
  Counterexample counterexample;
};

// Makes the circuit of the netlist within so many seconds. Inputs that the reference lacks may
// reach it: they are free.
using Gates = std::function<Circuit(unsigned seconds, const Inside& inside)>;
Verdict prove(const Gates& netlist, const Question& question, const Effort& effort);
Verdict prove(const ir::Design& design, const Question& question, const Effort& effort);

// One clock a line, ports that changed.
std::string to_text(const Counterexample& counterexample);

}  // namespace kumiki::backends::proof
