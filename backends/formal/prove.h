// SPDX-License-Identifier: Apache-2.0
// Proves a netlist equal to a reference in plain Verilog, in every clock, for all inputs.
//
// A pipeline without feedback is proved without a bound, by four facts about netlist and reference.
// (1) With en = 0 and rst = 0 every register keeps its value and no output depends on an input. (2)
// From ANY state they agree after `depth` clocks with en = 1. (3) From any state they agree in the
// `depth` clocks after a reset. (4) They agree in the first clocks from power-up. By fact 1, clocks
// with en = 0 can be removed from any run; the other facts cover every remaining clock.
//
// Other netlists need an invariant that makes both agree for ever (reach.h). If none is found in
// half of the time, they are compared from power-up, clock by clock, with free inputs.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "backends/formal/circuit.h"

namespace kumiki::backends::proof {

struct Question {
  std::string reference;  // Verilog with a module `gold` of the netlist's ports
  unsigned depth = 0;     // clocks from the first operand to a result; 0: no registers
  bool flushes = true;    // no feedback: after `depth` clocks older inputs have no effect
  // An output that is valid only while another one is 1.
  std::vector<std::pair<std::string, std::string>> while_one = {};
  std::string parts = {};  // the template with modules that the reference uses; empty: none
  // Outputs that are sums, or parts of outputs ("y[15:8]"), and words inside `gold` that are sums
  // and that other outputs compare.
  struct Sums {
    std::vector<std::string> ports = {}, words = {};
    bool any() const { return !ports.empty() || !words.empty(); }
  };
  Sums sums = {};
};

struct Effort {
  unsigned clocks = 0;     // limit of a bounded proof; 0: three times the depth plus 8
  unsigned seconds = 60;   // includes Yosys
  bool invariants = true;  // look for facts that hold in every reachable state
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
  unsigned clocks = 0;   // proved clocks, if not all are
  std::string method;    // "one clock", "any state", "invariant", "induction", "from power-up"
  bool by_sums = false;  // sums took part (sums.h)
  Counterexample counterexample;
};

// Makes the circuit of the netlist within this many seconds. It may have inputs that the reference
// lacks: these are free.
using Gates = std::function<Circuit(unsigned seconds, const Inside& inside)>;
Verdict prove(const Gates& netlist, const Question& question, const Effort& effort);
Verdict prove(const ir::Design& design, const Question& question, const Effort& effort);

// One clock a line, with the ports that changed.
std::string to_text(const Counterexample& counterexample);

}  // namespace kumiki::backends::proof
