// SPDX-License-Identifier: Apache-2.0
// Levels of logic: every LUT, MUXF and carry block on a path counts as one. So does every slice or
// memory that the path passes without a register.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/design.h"

namespace kumiki::backends {

namespace timing {
struct Netlist;
}

struct Levels {
  std::uint32_t luts = 0, carries = 0, others = 0;  // `luts` includes MUXF
  std::uint32_t total() const { return luts + carries + others; }
  void count(ir::Kind kind);
};

// The longest path between registers and ports.
struct Depth : Levels {
  std::vector<std::string> path;  // cells from the first to the last, with their places
};
Depth logic_depth(const ir::Design& design);
Depth logic_depth(const timing::Netlist& netlist);

}  // namespace kumiki::backends
