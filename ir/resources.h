// SPDX-License-Identifier: Apache-2.0
// The cost of a design, counted over its cells and its hierarchy. backends/fabric computes how many
// slices that is.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/design.h"

namespace kumiki::ir {

struct ModuleCost {
  std::string module;
  std::uint64_t places = 0;  // how often it occurs below the top
  Cost own;                  // one place, without its instances
};

// LUT sites that only bring a bit into a carry chain or a MUXF7. Both take these bits only from
// the LUT of the same position. So a constant, a register, a port, O5, or a LUT at another
// position already takes a site on its way. Positions above the last one that is read take
// none.
std::uint32_t feeds(const Module& module);

// Of its own cells, without its instances; `luts` includes the feeds.
Cost own_cost(const Module& module);

struct Resources {
  Cost total;                                  // `luts` includes the feeds
  std::map<std::string, std::uint64_t> cells;  // of the whole design, by primitive
  std::vector<ModuleCost> modules;             // children before parents
};
Resources count_resources(const Design& design);

}  // namespace kumiki::ir
