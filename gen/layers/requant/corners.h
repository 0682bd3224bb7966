// SPDX-License-Identifier: Apache-2.0
// Corner cases for simulation. Random accumulators mostly saturate, hardly ever tie, and never end
// near the clamp. So part of the frames is turned into ties and into results near the clamp.
#pragma once
#include "gen/layers/requant/channels.h"

namespace kumiki::gen::requant {

// Makes the frame valid. Its own bits select the case.
void steer(const Plan& plan, RequantIn<Values>& in);
void steer(const ChannelPlan& plan, RequantIn<Values>& in);

}  // namespace kumiki::gen::requant
