// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gen/dsl/dsl.h"
#include "gen/matrix/plan.h"
#include "gen/matrix/ports.h"

namespace kumiki::gen::matrix {

MatrixOut<Hardware> build(Scope& s, const MatrixPlan& plan, const MatrixIn<Hardware>& in);

}  // namespace kumiki::gen::matrix
