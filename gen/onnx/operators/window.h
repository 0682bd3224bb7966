// SPDX-License-Identifier: Apache-2.0
// Attributes that convolutions and pools share.
#pragma once
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

// Strides, dilations and padding of a map of [1, channels, rows, columns], with what is around it
// already, and what `made` gets for its rows and columns.
graph::Window window_of(Call& call, const std::vector<std::int64_t>& kernel, const Value& map,
                        Dims& made);

}  // namespace kumiki::gen::onnx
