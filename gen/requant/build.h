// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/dsl/dsl.h"
#include "gen/requant/plan.h"

namespace kumiki::gen::requant {

RequantOut<Hardware> build(Scope& s, const Plan& plan, const RequantIn<Hardware>& in);

}  // namespace kumiki::gen::requant
