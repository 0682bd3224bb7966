// SPDX-License-Identifier: Apache-2.0
// Requantisation by a named rule, onnxruntime's or TFLite's, one a channel: from the keys to a plan
// of gen/blocks/requant/requantiser.h.
#pragma once
#include "gen/blocks/requant/requantiser.h"
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

// Throws config::Refusal at the key that caused it.
ChannelPlan plan_channels(const Request& request);

RequantIn<Hardware> input_shape(const ChannelPlan& plan);
RequantOut<Hardware> output_shape(const ChannelPlan& plan);
void write(config::Writer& w, const ChannelPlan& plan);

}  // namespace kumiki::gen::requant
