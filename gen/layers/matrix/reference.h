// SPDX-License-Identifier: Apache-2.0
// Convolutions and matrix products as plain Verilog.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

proof::Reference reference(const MatrixPlan& plan);

}  // namespace kumiki::gen::matrix
