// SPDX-License-Identifier: Apache-2.0
// clamp(round((acc + bias) * scale / 2^shift) + zero point) as plain Verilog.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/requant/channel_plan.h"
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

proof::Reference reference(const Plan& plan);
// Each channel's rule as the accumulators at which its results begin.
proof::Reference reference(const ChannelPlan& plan);

}  // namespace kumiki::gen::requant
