// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/dot/plan.h"
#include "gen/dsl/dsl.h"

namespace kumiki::gen::dot {

DotOut<Hardware> build(Scope& s, const DotPlan& plan, const DotIn<Hardware>& in);

}  // namespace kumiki::gen::dot
