// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/layers/requant/channel_plan.h"

namespace kumiki::gen::requant {

// Takes `latency` enabled clocks.
LaneOut<Hardware> build_lane(Scope& s, const ChannelPlan& plan, const LaneIn<Hardware>& in);

// The same with valid bits.
RequantOut<Hardware> build_channels(Scope& s, const ChannelPlan& plan,
                                    const ChannelIn<Hardware>& in);

}  // namespace kumiki::gen::requant
