// SPDX-License-Identifier: Apache-2.0
// Repeats each line of a map several times, and each pixel in it.
#pragma once
#include <array>

#include "gen/layers/pipeline/machines/reorder.h"

namespace kumiki::gen::pipeline {

// `factor`: of rows, of columns.
ReorderPlan repeated(const Stream& stream, std::array<int, 2> factor);

}  // namespace kumiki::gen::pipeline
