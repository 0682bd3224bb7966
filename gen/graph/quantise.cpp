// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/quantise.h"

#include <algorithm>
#include <cmath>

namespace kumiki::gen::graph {

Quantised quantised(const Tensor& tensor, float value) {
  // Far beyond every format; every integer up to it is a float.
  constexpr float beyond = 0x1p40f;
  const float steps = std::nearbyint(value / tensor.scale);
  const auto wanted =
      static_cast<std::int64_t>(std::clamp(steps, -beyond, beyond)) + tensor.zero_point;
  const arith::Interval legal = numbers_of(tensor);
  const arith::Exact number = std::clamp<arith::Exact>(wanted, legal.lo, legal.hi);
  return {static_cast<std::int32_t>(number), number != wanted};
}

float prepared(const Graph& graph, std::size_t entry, float value) {
  if (graph.preparation.empty()) return value;
  const auto inputs = all_inputs(graph);
  std::size_t input = 0;
  for (std::size_t size = 0;
       input + 1 < inputs.size() && entry >= (size = count(graph.tensors[inputs[input]].shape));
       ++input)
    entry -= size;
  const Shape& shape = graph.tensors[inputs[input]].shape;
  const std::size_t channel = entry / (count(shape) / static_cast<std::size_t>(shape[0]));
  for (const Preparation& p : graph.preparation) {
    if (p.input != input) continue;
    const float by = p.values[p.values.size() == 1 ? 0 : channel];
    switch (p.kind) {
      case Preparation::Kind::plus:
        value += by;
        break;
      case Preparation::Kind::minus:
        value -= by;
        break;
      case Preparation::Kind::from:
        value = by - value;
        break;
      case Preparation::Kind::times:
        value *= by;
        break;
      case Preparation::Kind::over:
        value /= by;
        break;
    }
  }
  return value;
}

}  // namespace kumiki::gen::graph
