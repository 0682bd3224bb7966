// SPDX-License-Identifier: Apache-2.0
// Random legal designs over all fabric primitives, vector cells, memories and hierarchy: what the
// text form, the checks, the simulators and the writers are tried on. The same seed and shape give
// the same design everywhere.
#pragma once
#include <cstdint>
#include <memory>

#include "ir/design.h"

namespace kumiki::tests {

struct RandomShape {
  ir::Family family = ir::Family::ultrascale_plus;
  std::uint32_t modules = 4;  // at most, the top among them
  std::uint32_t cells =
      40;  // at most in a module; what reads its inputs and ends chains comes on top
  std::uint32_t max_width = 8;  // of a vector cell, a port, a memory
  bool memories = true;
  // Names that are Verilog keywords, twice used, with brackets or blanks: for the passes that make
  // them legal. Else all names are plain and differ.
  bool odd_names = false;
  // Vector cells whose elements read each other. This is legal, because no bit depends on itself,
  // but a simulator that takes cells as wholes must notice.
  bool false_loops = false;
};

// Every net that no cell reads is an output, so little is left unused; every address of a memory
// has its word.
std::unique_ptr<ir::Design> random_design(std::uint64_t seed, const RandomShape& shape = {});

// The same netlist with other net numbers, cell order, module order and module names; a design must
// be legal for that.
std::unique_ptr<ir::Design> scrambled(const ir::Design& design, std::uint64_t seed);

}  // namespace kumiki::tests
