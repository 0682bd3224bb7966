// SPDX-License-Identifier: Apache-2.0
// Whether a plan could be built as it stands. The certificate is about numbers; this is about
// wiring: sources, registers and OPMODE must be what the slices allow. A plan that fails is a bug
// here, not a refusal.
#pragma once
#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

void check(const PackingPlan& plan);  // throws std::logic_error with the first thing that is wrong

}  // namespace kumiki::gen::packing
