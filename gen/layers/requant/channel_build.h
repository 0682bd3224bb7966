// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/layers/requant/channel_plan.h"

namespace kumiki::gen::requant {

RequantOut<Hardware> build_channels(Scope& s, const ChannelPlan& plan,
                                    const ChannelIn<Hardware>& in);

}  // namespace kumiki::gen::requant
