// SPDX-License-Identifier: Apache-2.0
// Resize with mode linear.
#pragma once
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

// Resizes to this shape. `scales`: of rows and columns, as onnxruntime divides by them.
void interpolated(Call& call, const Dims& to, std::array<float, 2> scales,
                  const std::string& coordinates);

}  // namespace kumiki::gen::onnx
