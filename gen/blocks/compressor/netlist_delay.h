// SPDX-License-Identifier: Apache-2.0
// The delay of a tree's netlist: builds the netlist and follows its paths (paths.h).
#pragma once
#include "gen/blocks/compressor/plan.h"
#include "ir/delays.h"

namespace kumiki::gen::compressor {

// From the bits of the heap, which all arrive at once, to the last bit of the sum. The tree is
// combinational: its carries cost positions (no free_exits).
ir::timing::Picoseconds netlist_delay(const TreePlan& plan, ir::Family family);

}  // namespace kumiki::gen::compressor
