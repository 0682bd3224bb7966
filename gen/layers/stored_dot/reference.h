// SPDX-License-Identifier: Apache-2.0
// Sums of products whose weights change at run time, as plain Verilog.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/stored_dot/plan.h"

namespace kumiki::gen::stored_dot {

proof::Reference reference(const StoredPlan& plan);

}  // namespace kumiki::gen::stored_dot
