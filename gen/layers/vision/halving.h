// SPDX-License-Identifier: Apache-2.0
// A group that passes every second pixel of every second line, beginning with the first: halves the
// frame's size, rounded up.
#pragma once
#include "gen/layers/vision/plan.h"
#include "gen/layers/vision/ports.h"

namespace kumiki::gen::vision {

GroupOut<Hardware> build_halving(Scope& s, const Group& group, const GroupIn<Hardware>& in);

}  // namespace kumiki::gen::vision
