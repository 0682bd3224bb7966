// SPDX-License-Identifier: Apache-2.0
// The product of the matrix and a vector as plain Verilog.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/const_matrix/layer.h"

namespace kumiki::gen::const_matrix {

proof::Reference reference(const Plan& promised);

}  // namespace kumiki::gen::const_matrix
