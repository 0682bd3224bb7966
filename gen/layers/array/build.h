// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/layers/array/plan.h"
#include "gen/layers/array/ports.h"

namespace kumiki::gen::array {

ArrayOut<Hardware> build(Scope& s, const ArrayPlan& plan, const ArrayIn<Hardware>& in);

}  // namespace kumiki::gen::array
