// SPDX-License-Identifier: Apache-2.0
// Random accumulators saturate, hardly ever tie, and never end next to the clamp: part of the
// frames of a simulation is turned into such.
#pragma once
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

// Makes the frame legal; what it becomes is decided by its own bits.
void steer(const Plan& plan, RequantIn<Values>& in);

}  // namespace kumiki::gen::requant
