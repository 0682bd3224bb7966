// SPDX-License-Identifier: Apache-2.0
// Whether a plan could be built as it stands. The certificate covers numbers; this covers wiring:
// sources, registers and OPMODE must be possible in the slices. A plan that fails is a bug, not a
// refusal.
#pragma once
#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

void check(const PackingPlan& plan);  // throws std::logic_error with the first error

}  // namespace kumiki::gen::packing
