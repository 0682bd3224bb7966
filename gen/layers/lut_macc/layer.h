// SPDX-License-Identifier: Apache-2.0
// The layer type "lut_macc".
#pragma once
#include <memory>

#include "gen/config/table.h"
#include "gen/layer/layer.h"
#include "gen/layers/lut_macc/plan.h"

namespace kumiki::gen::lut_macc {

const config::Table& request_table();
std::unique_ptr<Layer> make_layer(const Request& request);

}  // namespace kumiki::gen::lut_macc
