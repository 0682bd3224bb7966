// SPDX-License-Identifier: Apache-2.0
// The hardware of an array: the engines around the rows of elements.
#pragma once
#include "gen/layers/array/plan.h"
#include "gen/layers/array/ports.h"

namespace kumiki::gen::array {

ArrayOut<Hardware> build(Scope& s, const ArrayPlan& plan, const ArrayIn<Hardware>& in);

}  // namespace kumiki::gen::array
