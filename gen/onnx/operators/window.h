// SPDX-License-Identifier: Apache-2.0
// Attributes that convolutions and pools share.
#pragma once
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

// The window of a map of [1, channels, rows, columns]: strides, dilations and padding, including
// zeros already around the map. `made` gets the rows and columns of the result.
graph::Window window_of(Call& call, const std::vector<std::int64_t>& kernel, const Value& map,
                        Dims& made);

}  // namespace kumiki::gen::onnx
