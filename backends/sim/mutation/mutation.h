// SPDX-License-Identifier: Apache-2.0
// Checks that lockstep detects mistakes. It changes one constant, truth table bit, control bit or
// wire of one cell at a time and runs the netlist against its model again. The run must fail.
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
  std::uint32_t index;          // of the parameter, or of the cell's input net
  std::uint64_t before, after;  // parameter value or net number
};
// "module m: LUT6_2 at gen/x.cpp:7: INIT 0x6 becomes 0x7"
std::string to_string(const ir::Design& design, const Mutation& mutation);

// `count` mutations, chosen by the seed and spread evenly over the cells of the design, without its
// instances.
std::vector<Mutation> random_mutations(const ir::Design& design, std::size_t count,
                                       std::uint64_t seed);

void apply(ir::Design& design, const Mutation& mutation);

struct MutationOptions {
  std::uint64_t seed = 1;
  std::size_t count = 200;
  std::size_t cycles = 300;            // of each of 64 runs side by side
  std::size_t survivor_cycles = 4000;  // by which a survivor runs longer, beside the original
};

struct MutationResult {
  std::size_t tried = 0;
  std::size_t by_check = 0;          // rejected as illegal, undriven or looped before any run
  std::size_t by_lockstep = 0;       // an output differed from the model
  std::vector<Mutation> missed;      // differ from the original netlist, but lockstep missed it
  std::vector<Mutation> equivalent;  // no difference found in any run
  std::size_t changing() const { return by_check + by_lockstep + missed.size(); }
  double caught() const {
    return changing() == 0
               ? 1.0
               : static_cast<double>(by_check + by_lockstep) / static_cast<double>(changing());
  }
};

// `model` makes a fresh model; `stimulus` fills the inputs of one cycle of one of the 64 runs. The
// design is changed temporarily.
MutationResult try_mutations(
    ir::Design& design, const std::function<std::unique_ptr<ir::Machine>()>& model,
    const std::function<void(unsigned run, std::size_t cycle, ir::Frame&)>& stimulus,
    const MutationOptions& options = {});

}  // namespace kumiki::backends
