// SPDX-License-Identifier: Apache-2.0
// How a tree ends when it was chosen for its delay.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// So few bits are left that every bit of the sum, or the answer of a comparison, is one LUT of
// them: no final adder, no chain.
bool ends_in_luts(const TreePlan& plan, const Audit::Level& last);

}  // namespace kumiki::gen::compressor
