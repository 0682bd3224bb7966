// SPDX-License-Identifier: Apache-2.0
// The hardware of a sum of products in LUTs.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/lut_macc/plan.h"

namespace kumiki::gen::lut_macc {

MaccOut<Hardware> build(Scope& s, const Plan& plan, const MaccIn<Hardware>& in);

}  // namespace kumiki::gen::lut_macc
