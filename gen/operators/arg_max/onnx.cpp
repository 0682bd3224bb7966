// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
static void arg_max(Call& call) {
  const Value& value = call.in(0);
  const auto* pending = std::get_if<Pending>(&value.is);
  if (std::holds_alternative<Host>(value.is) ||
      (pending != nullptr && std::holds_alternative<SoftmaxOf>(pending->what)))
    throw Stop{"follows Softmax, which may make numbers equal; use ArgMax of its input"};
  const auto* integers = std::get_if<Integers>(&value.is);
  const graph::TensorId in = integers != nullptr ? integers->id : call.numbers(0);
  if (value.dims.size() != 2 || axis_of(call, 0, value.dims) != 1)
    throw Stop{fmt::format("reads {}; it must be the last axis of a vector for each image",
                           to_string(value.dims))};
  if (call.integer("select_last_index", 0) != 0)
    throw Stop{"has select_last_index = 1; it must be 0"};
  const bool keeps = call.integer("keepdims", 1) != 0;
  const auto to = call.walk.add_tensor(call.out(), {1}, {{32, true}, 0, 1});
  call.walk.add_node(call.label, graph::ArgMax{}, {in}, to);
  call.result({keeps ? Dims{1, 1} : Dims{1}, Integers{to}});
}

std::vector<Row> forms(std::type_identity<graph::ArgMax>) {
  return {
      {{"ArgMax", "arg_max", "of a vector; the first of equal ones"}, arg_max},
  };
}

}  // namespace kumiki::gen::onnx
