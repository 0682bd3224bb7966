// SPDX-License-Identifier: Apache-2.0
// The hardware of a matrix of chains.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"
#include "gen/layers/matrix/ports.h"

namespace kumiki::gen::matrix {

MatrixOut<Hardware> build(Scope& s, const MatrixPlan& plan, const MatrixIn<Hardware>& in);

}  // namespace kumiki::gen::matrix
