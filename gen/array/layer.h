// SPDX-License-Identifier: Apache-2.0
// The array as a layer of the catalog: its plan, its netlist and its model. What runs on it is
// another matter: program.h.
#pragma once
#include "gen/array/plan.h"
#include "gen/layer.h"

namespace kumiki::gen::array {

std::unique_ptr<Layer> make_array(const ArrayPlan& plan);

}  // namespace kumiki::gen::array
