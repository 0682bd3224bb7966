// SPDX-License-Identifier: Apache-2.0
// The layer type "dot": its keys, and a configured layer.
#pragma once
#include <memory>

#include "gen/config/document.h"
#include "gen/layer/type.h"
#include "gen/layers/dot/request.h"

namespace kumiki::gen::dot {

std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target = {});

config::LayerType layer_type();

}  // namespace kumiki::gen::dot
