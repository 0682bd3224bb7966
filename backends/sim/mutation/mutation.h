// SPDX-License-Identifier: Apache-2.0
// Is lockstep able to see a mistake? One constant, truth table bit, control bit or wire of one cell
// is changed at a time, and the netlist runs against its model again: it must fail.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/design.h"
#include "ir/machine.h"

namespace kumiki::backends {

struct Mutation {
  enum class Kind { parameter_bit, constant_input, rewired_input };
  Kind kind;
  ir::ModuleId module;
  ir::CellId cell;
  std::uint32_t index;          // which parameter, or which of the cell's input nets
  std::uint64_t before, after;  // parameter value or net number
};
// "module m: LUT6_2 at gen/x.cpp:7: INIT 0x6 becomes 0x7"
std::string to_string(const ir::Design& design, const Mutation& mutation);

// `count` mutations, spread evenly over the cells of the design (not its instances), decided by the
// seed.
std::vector<Mutation> random_mutations(const ir::Design& design, std::size_t count,
                                       std::uint64_t seed);

void apply(ir::Design& design, const Mutation& mutation);

struct MutationOptions {
  std::uint64_t seed = 1;
  std::size_t count = 200;
  std::size_t cycles = 300;            // of each of 64 runs side by side
  std::size_t survivor_cycles = 4000;  // a survivor runs this long against the sound netlist
};

struct MutationResult {
  std::size_t tried = 0;
  std::size_t by_check = 0;          // refused as illegal, undriven or looped before anything ran
  std::size_t by_lockstep = 0;       // an output differed from the model
  std::vector<Mutation> missed;      // differ from the sound netlist, but lockstep did not see it
  std::vector<Mutation> equivalent;  // no difference found in any run either
  std::size_t changing() const { return by_check + by_lockstep + missed.size(); }
  double caught() const {
    return changing() == 0
               ? 1.0
               : static_cast<double>(by_check + by_lockstep) / static_cast<double>(changing());
  }
};

// `model` gives a fresh model; `stimulus` fills the inputs of one cycle of one of the 64 runs. The
// design is changed and put back.
MutationResult try_mutations(
    ir::Design& design, const std::function<std::unique_ptr<ir::Machine>()>& model,
    const std::function<void(unsigned run, std::size_t cycle, ir::Frame&)>& stimulus,
    const MutationOptions& options = {});

}  // namespace kumiki::backends
