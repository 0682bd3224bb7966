// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {

// The mean and the deviation as further results are refused by the walk, as those of any node.
static void layer_normalization(Call& call) {
  const Dims& dims = call.in(0).dims;
  const auto axis = axis_of(call, -1, dims);
  if (axis != static_cast<std::int64_t>(dims.size()) - 1)
    throw Stop{fmt::format("normalises from axis {} of {} on; it must be the last one", axis,
                           to_string(dims))};
  if (call.integer("stash_type", 1) != 1) throw Stop{"has a stash_type other than 1, float32"};
  if (dims.back() % graph::LayerNorm::lanes != 0)
    throw Stop{fmt::format(
        "normalises {} numbers; it must be a multiple of {}: onnxruntime adds the last ones of "
        "others in an order that depends on how it was compiled",
        dims.back(), graph::LayerNorm::lanes)};
  graph::LayerNorm op{
      .epsilon = call.real("epsilon", 1e-5F),
      .factors = call.constant_reals(1),
  };
  if (call.has(2)) op.biases = call.constant_reals(2);
  for (const auto* list : {&op.factors, &op.biases})
    if (!list->empty() && static_cast<std::int64_t>(list->size()) != dims.back())
      throw Stop{
          fmt::format("has {} factors or biases; it must have {}", list->size(), dims.back())};
  op.integers = in_integers(call);
  const graph::TensorId tokens = call.numbers(0);
  const std::int64_t channels = dims.back();
  const graph::TensorId map = call.walk.map_of_tokens(tokens, channels, call.label + "/rows");
  const Dims made{1, channels, 1, call.walk.tensor(map).shape[2]};
  call.result(call.walk.tokens_of_map(
      {made, Pending{.what = NormalOf{map, std::move(op)}, .made = made, .node = call.label}}, dims,
      call.label));
}

std::vector<Row> forms(std::type_identity<graph::LayerNorm>) {
  return {
      {{"LayerNormalization", "layer_norm",
        "along the last axis, a multiple of 8; factors and biases constant; between quantisers"},
       layer_normalization},
  };
}

}  // namespace kumiki::gen::onnx
