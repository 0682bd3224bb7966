// SPDX-License-Identifier: Apache-2.0
// The end of a tree that is planned for the objective delay.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// Whether so few bits are left that every bit of the sum, or the answer of a comparison, is one
// LUT: then there is no final adder and no chain.
bool ends_in_luts(const TreePlan& plan, const Audit::Level& last);

}  // namespace kumiki::gen::compressor
