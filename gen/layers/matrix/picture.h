// SPDX-License-Identifier: Apache-2.0
// The picture of a matrix engine.
#pragma once
#include <string>

#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// Loader, line buffer, weights and columns; below them the clocks of one group of pixels.
std::string engine_svg(const MatrixPlan& plan);

}  // namespace kumiki::gen::matrix
