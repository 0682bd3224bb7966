// SPDX-License-Identifier: Apache-2.0
// The array as a layer of the catalog: its plan, its netlist, its model, and its program.
#pragma once
#include "gen/layer/type.h"
#include "gen/layers/array/program.h"

namespace kumiki::gen::array {

std::unique_ptr<Layer> make_array(Program program);
// The program of an array; null for a layer of another type.
const Program* program_of(const Layer& layer);

config::LayerType layer_type();

}  // namespace kumiki::gen::array
