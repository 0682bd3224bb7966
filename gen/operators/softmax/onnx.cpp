// SPDX-License-Identifier: Apache-2.0
// Softmax between quantisers. One that only quantisers, other shapes and outputs follow is left to
// the host.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// What makes the same numbers of others, or the same ones in another shape.
bool is_neutral(const Node& n) {
  constexpr std::array ops{"QuantizeLinear", "DequantizeLinear", "Flatten",   "Identity",
                           "Reshape",        "Squeeze",          "Transpose", "Unsqueeze"};
  return std::ranges::find(ops, n.op) != ops.end();
}

// Whether outputs of the model alone read the value, through neutral nodes or not.
bool is_at_the_end(const Model& model, const std::string& value) {
  for (const Node& n : model.nodes) {
    if (std::ranges::find(n.inputs, value) == n.inputs.end()) continue;
    if (!is_neutral(n) || !is_at_the_end(model, n.outputs[0])) return false;
  }
  return true;
}

void require_last_axis(const Dims& dims, std::int64_t axis) {
  if (axis != static_cast<std::int64_t>(dims.size()) - 1)
    throw Stop{
        fmt::format("is along axis {} of {}; it must be the last one", axis, to_string(dims))};
}

Value over_columns(Call& call, graph::TensorId in, const Dims& dims) {
  const graph::TensorId map = call.walk.map_of_rows(in, dims, call.label + "/rows");
  const graph::Softmax op{.groups = dims.size() == 4 ? static_cast<int>(dims[1]) : 1,
                          .integers = in_integers(call)};
  return call.walk.rows_of_map(SoftmaxOf{map, op}, dims, call.label);
}

}  // namespace

static void softmax(Call& call) {
  if (is_at_the_end(call.walk.model(), call.out())) return left_to_host(call);
  const Dims& dims = call.in(0).dims;
  require_last_axis(dims, axis_of(call, call.walk.model().opset("") < 13 ? 1 : -1, dims));
  call.result(over_columns(call, call.numbers(0), dims));
}

// Inputs: the numbers, their scale and zero point; the result's scale and zero point.
static void q_linear_softmax(Call& call) {
  if (is_at_the_end(call.walk.model(), call.out())) return left_to_host(call);
  const Dims& dims = call.in(0).dims;
  require_last_axis(dims, axis_of(call, call.integer("opset", 13) < 13 ? 1 : -1, dims));
  const Value value = over_columns(call, call.integers(0, call.quantiser(1)), dims);
  call.result({dims, Integers{call.walk.quantised(value, call.quantiser(3), call.out())}});
}

std::vector<Row> forms(std::type_identity<graph::Softmax>) {
  constexpr auto limits =
      "along the last axis, between quantisers of one type; at the end of the model it is left to "
      "the host: its input is the result";
  return {
      {{"Softmax", "softmax", limits}, softmax},
      {{"com.microsoft.QLinearSoftmax", "softmax", limits}, q_linear_softmax},
  };
}

}  // namespace kumiki::gen::onnx
