// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of matrices as plain Verilog.
#pragma once
#include "gen/matrix/request.h"
#include "gen/proof/reference.h"

namespace kumiki::gen::matrix {

proof::Reference reference(const MatrixRequest& request);

}  // namespace kumiki::gen::matrix
