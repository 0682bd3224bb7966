// SPDX-License-Identifier: Apache-2.0
// The hardware of chains with stored weights.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/stored_dot/plan.h"

namespace kumiki::gen::stored_dot {

StoredOut<Hardware> build(Scope& s, const StoredPlan& plan, const StoredIn<Hardware>& in);

}  // namespace kumiki::gen::stored_dot
