// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/dsl/dsl.h"
#include "gen/lut_macc/plan.h"

namespace kumiki::gen::lut_macc {

MaccOut<Hardware> build(Scope& s, const Plan& plan, const MaccIn<Hardware>& in);

}  // namespace kumiki::gen::lut_macc
