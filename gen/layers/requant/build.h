// SPDX-License-Identifier: Apache-2.0
// The hardware of a requantisation.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/requant/channels.h"

namespace kumiki::gen::requant {

RequantOut<Hardware> build(Scope& s, const Plan& plan, const RequantIn<Hardware>& in);
RequantOut<Hardware> build(Scope& s, const ChannelPlan& plan, const RequantIn<Hardware>& in);

}  // namespace kumiki::gen::requant
