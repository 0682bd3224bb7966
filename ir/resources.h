// SPDX-License-Identifier: Apache-2.0
// What a design costs, counted over its cells and its hierarchy. How many slices that are:
// backends/fabric.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/design.h"

namespace kumiki::ir {

struct ModuleCost {
  std::string module;
  std::uint64_t places = 0;  // how often it stands below the top
  Cost own;                  // one place, without its instances
};

// LUT sites that only bring a bit into a carry chain or a MUXF7. Both take these bits from the LUT
// of the same position and from nowhere else: a constant, a register, a port, O5, or a LUT that
// stands at another position already takes a site on its way. Positions above the last one that is
// read take none.
std::uint32_t feeds(const Module& module);

// Of its cells alone, without its instances; `luts` with the feeds.
Cost own_cost(const Module& module);

struct Resources {
  Cost total;                                  // `luts` with the feeds
  std::map<std::string, std::uint64_t> cells;  // of the whole design, by primitive
  std::vector<ModuleCost> modules;             // children before parents
};
Resources count_resources(const Design& design);

}  // namespace kumiki::ir
