// SPDX-License-Identifier: Apache-2.0
// clamp(round((acc + bias) * scale / 2^shift) + zero point) as plain Verilog.
#pragma once
#include "gen/layer/layer.h"
#include "gen/layers/requant/channels.h"

namespace kumiki::gen::requant {

Definition reference(const Plan& plan);
// Each channel's rule as the accumulators at which its results begin.
Definition reference(const ChannelPlan& plan);

}  // namespace kumiki::gen::requant
