// SPDX-License-Identifier: Apache-2.0
// The layer type "requant": its keys, and a configured layer.
#pragma once
#include "gen/config/table.h"
#include "gen/layer/type.h"
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

const config::Table& request_table();
std::unique_ptr<Layer> make_layer(const Request& request);

config::LayerType layer_type();

}  // namespace kumiki::gen::requant
