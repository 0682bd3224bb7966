// SPDX-License-Identifier: Apache-2.0
// The delay of what a tree becomes: its netlist is made and followed (paths.h).
#pragma once
#include "gen/blocks/compressor/plan.h"
#include "ir/delays.h"

namespace kumiki::gen::compressor {

// From the bits of the heap, all there at once, to the last bit of the sum. Of a combinational
// tree: its carries cost positions (no free_exits).
ir::timing::Picoseconds netlist_delay(const TreePlan& plan, ir::Family family);

}  // namespace kumiki::gen::compressor
