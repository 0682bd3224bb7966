// SPDX-License-Identifier: Apache-2.0
// The end of a tree planned for the objective delay.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// Whether the remaining bits are so few that every bit of the sum, or the result of a comparison,
// is one LUT. If so, there is no final adder and no chain.
bool ends_in_luts(const TreePlan& plan, const Audit::Level& last);

}  // namespace kumiki::gen::compressor
