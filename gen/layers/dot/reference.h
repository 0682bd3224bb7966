// SPDX-License-Identifier: Apache-2.0
// The sums of products as plain Verilog.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/dot/plan.h"

namespace kumiki::gen::dot {

proof::Reference reference(const DotPlan& plan);

}  // namespace kumiki::gen::dot
