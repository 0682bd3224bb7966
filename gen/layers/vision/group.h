// SPDX-License-Identifier: Apache-2.0
// A group as a module: window, operation, pixel operations and output register.
#pragma once
#include "gen/layers/vision/plan.h"
#include "gen/layers/vision/ports.h"

namespace kumiki::gen::vision {

GroupOut<Hardware> build_group(Scope& s, const Group& group, const GroupIn<Hardware>& in);

}  // namespace kumiki::gen::vision
