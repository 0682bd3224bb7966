// SPDX-License-Identifier: Apache-2.0
// A module as a person would draw it: ports, instances, one block for all primitives that one
// function made, and the wires between them. As text, and for Graphviz.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/design.h"

namespace kumiki::backends {

struct Block {
  enum class Kind : std::uint8_t { input, output, instance, slices, memory, logic };
  Kind kind = Kind::logic;
  std::string name;   // "x", "column0 to column7", "control"
  std::string text;   // "12 LUT6_2, 8 FDRE"; for an instance its module, for a port its width
  std::string place;  // the source file: "gen/blocks/packing/hardware/control.cpp"
};

struct Wire {
  std::uint32_t from = 0, to = 0;  // blocks
  std::uint32_t bits = 0;
  std::string name;  // of the signal, if there is only one
};

struct Diagram {
  std::string module, about;
  std::vector<Block> blocks;  // inputs first, then in signal order as far as there are no loops
  std::vector<Wire> wires;    // by blocks
};

// Omits the clock. More than four instances of one module become one block.
Diagram diagram(const ir::Module& module);

std::string to_text(const Diagram& diagram);
std::string to_dot(const Diagram& diagram);
// Runs Graphviz; ToolError if it is missing.
std::string to_svg(const Diagram& diagram);

}  // namespace kumiki::backends
