// SPDX-License-Identifier: Apache-2.0
// What a design costs, counted over its cells and its hierarchy.
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

// Slices (CLBs in UltraScale) by a stated rule: dense packing, the largest of LUT sites, flip-flops
// and carry positions over what one holds: 4, 8 and 4 in the 7 series, 8, 16 and 8 in UltraScale.
std::uint64_t dense_slices(Family family, const Cost& cost);

struct Resources {
  Cost total;
  std::map<std::string, std::uint64_t> cells;  // of the whole design, by primitive
  std::vector<ModuleCost> modules;             // children before parents
  std::uint64_t slices = 0;
};
Resources count_resources(const Design& design);

}  // namespace kumiki::ir
