// SPDX-License-Identifier: Apache-2.0
// The layer type "lut_macc".
#pragma once
#include <memory>

#include "gen/config/table.h"
#include "gen/layer/type.h"
#include "gen/layers/lut_macc/plan.h"

namespace kumiki::gen::lut_macc {

const config::Table& request_table();
std::unique_ptr<Layer> make_layer(const Request& request);

config::LayerType layer_type();

}  // namespace kumiki::gen::lut_macc
