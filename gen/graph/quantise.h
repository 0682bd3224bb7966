// SPDX-License-Identifier: Apache-2.0
// Converts real values to numbers of a tensor and back, exactly as ONNX' QuantizeLinear and
// DequantizeLinear do in float32.
#pragma once
#include <cstdint>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

struct Quantised {
  std::int32_t number = 0;
  bool saturated = false;  // the value exceeds the range of the tensor
};
// value / scale to the nearest integer, ties to even, plus the zero point. NaN has no number.
Quantised quantised(const Tensor& tensor, float value);

// A real input number after the host's preparation, before quantising.
float prepared(const Graph& graph, std::size_t entry, float value);

}  // namespace kumiki::gen::graph
