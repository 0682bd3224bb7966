// SPDX-License-Identifier: Apache-2.0
// The hardware of a dot product.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/dot/plan.h"

namespace kumiki::gen::dot {

DotOut<Hardware> build(Scope& s, const DotPlan& plan, const DotIn<Hardware>& in);

}  // namespace kumiki::gen::dot
