// SPDX-License-Identifier: Apache-2.0
// Softmax between quantisers. One that only quantisers, other shapes and outputs follow is left to
// the host.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>

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

// Along the last axis: the columns of heads or of one matrix. Along another one: the channels of a
// map whose pixels are all the numbers in front of the axis and behind it. Before opset 13 it is
// along all axes from this one on.
Value along(Call& call, std::int64_t opset, const Value& value, std::optional<Quantiser> q) {
  const bool is_to_the_end = opset < 13;
  const std::int64_t axis = axis_of(call, is_to_the_end ? 1 : -1, value.dims);
  const Dims& dims = value.dims;
  if (axis < 0 || axis >= std::ssize(dims))
    throw Stop{fmt::format("is along axis {} of {}; it must be 0 to {}", axis, to_string(dims),
                           std::ssize(dims) - 1)};
  const auto product = [&](std::int64_t from, std::int64_t to) {
    return std::accumulate(dims.begin() + from, dims.begin() + to, std::int64_t{1},
                           std::multiplies());
  };
  const std::int64_t behind = is_to_the_end ? std::ssize(dims) : axis + 1;
  const auto front = product(0, axis), size = product(axis, behind),
             back = product(behind, std::ssize(dims));
  if (axis == 0 && has_images(value) && call.walk.batch() != 1)
    throw Stop{
        fmt::format("is along axis 0 of {} images; it must be behind them", call.walk.batch())};
  graph::Softmax op{.integers = in_integers(call)};
  const auto numbers = [&](const Value& of) {
    return q ? call.integers(of, 0, *q) : call.numbers(of, 0);
  };
  if (back == 1) {
    const Dims rows = is_plain(dims) && axis + 1 == std::ssize(dims) ? dims : Dims{1, front, size};
    const auto in = numbers(call.walk.reshaped(value, rows, call.label + "/seen"));
    if (rows.size() == 4) op.groups = static_cast<int>(rows[1]);
    Value made = call.walk.rows_of_map(
        SoftmaxOf{call.walk.map_of_rows(in, rows, call.label + "/rows"), op}, rows, call.label);
    made.dims = dims;
    return made;
  }
  const Dims seen{1, front, size, back}, map{1, size, front, back};
  const Value turned = call.walk.transposed(call.walk.reshaped(value, seen, call.label + "/seen"),
                                            {0, 2, 1, 3}, call.label + "/turned");
  Pending pending{.what = SoftmaxOf{numbers(turned), op}, .made = map, .node = call.label};
  if (front > 1)
    pending.spread = Spread{.order = {.order = {1, 0, 2},
                                      .view = {static_cast<int>(size), static_cast<int>(front),
                                               static_cast<int>(back)}},
                            .pixels = seen,
                            .picks = {}};
  return {dims, std::move(pending)};
}

}  // namespace

static void softmax(Call& call) {
  if (is_at_the_end(call.walk.model(), call.out())) return left_to_host(call);
  const Value& value = call.any(0);
  call.result(along(call, call.walk.model().opset(""), value, {}));
}

// Inputs: the numbers, their scale and zero point; the result's scale and zero point.
static void q_linear_softmax(Call& call) {
  if (is_at_the_end(call.walk.model(), call.out())) return left_to_host(call);
  const Value& value = call.any(0);
  const Value made = along(call, call.integer("opset", 13), value, call.quantiser(1));
  call.result({made.dims, Integers{call.walk.quantised(made, call.quantiser(3), call.out())}});
}

std::vector<Row> forms(std::type_identity<graph::Softmax>) {
  constexpr auto limits =
      "along one axis, before opset 13 along all from it on, between quantisers of one type; at "
      "the end of the model it is left to the host: its input is the result";
  return {
      {{"Softmax", "softmax", limits}, softmax},
      {{"com.microsoft.QLinearSoftmax", "softmax", limits}, q_linear_softmax},
  };
}

}  // namespace kumiki::gen::onnx
