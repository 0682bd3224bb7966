// SPDX-License-Identifier: Apache-2.0
// The layer type "stored_dot".
#pragma once
#include <memory>

#include "gen/config/document.h"
#include "gen/layer/type.h"
#include "gen/layers/stored_dot/plan.h"

namespace kumiki::gen::stored_dot {

const config::Table& request_table();
std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target = {});

config::LayerType layer_type();

}  // namespace kumiki::gen::stored_dot
