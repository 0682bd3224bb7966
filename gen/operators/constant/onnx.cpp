// SPDX-License-Identifier: Apache-2.0
// Constants beside results. Constant itself is listed with the operators that make no node: mostly
// another node takes its numbers for itself.
#include <numeric>

#include <fmt/format.h>

#include "gen/onnx/fold.h"
#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {

std::vector<Row> forms(std::type_identity<graph::Constant>) { return {}; }

namespace {

// With axes of one place in front, until it has as many.
Dims with_axes(Dims dims, std::size_t axes) {
  dims.insert(dims.begin(), axes - dims.size(), 1);
  return dims;
}

// The place of each number of `dims` along each axis of `from`.
Picks places_of(const Dims& from, const Dims& dims) {
  Picks all;
  for (std::size_t a = 0; a < dims.size(); ++a) {
    all.emplace_back(static_cast<std::size_t>(dims[a]), 0);
    if (from[a] == dims[a]) std::iota(all.back().begin(), all.back().end(), 0);
  }
  return all;
}

}  // namespace

graph::TensorId Walk::constants(const std::vector<std::int32_t>& numbers, const Dims& of,
                                const Dims& dims, const Quantiser& q, const std::string& name) {
  if (of.size() > dims.size())
    throw Stop{
        fmt::format("reads the constants {} of {} beside {}; it must have at most as many axes",
                    name, to_string(of), to_string(dims))};
  const Dims from = with_axes(of, dims.size());
  for (std::size_t a = 0; a < dims.size(); ++a)
    if (from[a] != dims[a] && from[a] != 1)
      throw Stop{
          fmt::format("reads the constants {} of {} beside {}; the axes must be equal, or of one "
                      "place",
                      name, to_string(of), to_string(dims))};
  graph::Constant op;
  for (const std::size_t place : places(of, dims))
    op.values.push_back(static_cast<std::int16_t>(numbers[place]));
  const graph::TensorId to = add_tensor(name, shape_of(dims), q);
  return add_node(tensor(to).name, std::move(op), {}, to);
}

graph::TensorId Walk::repeated(graph::TensorId id, const Dims& of, const Dims& dims,
                               const std::string& name) {
  // A number for each channel of a map is a map of one pixel that is resized.
  if (dims.size() == 4 && of == Dims{1, dims[1], 1, 1} && of != dims) {
    const graph::Shape shape = shape_of(dims);
    return moved(id, graph::Resize{{shape[1], shape[2]}}, shape, name);
  }
  return std::get<Integers>(broadcast({of, Integers{id}}, dims, name).is).id;
}

Value Walk::broadcast(const Value& value, const Dims& dims, const std::string& name) {
  if (value.dims == dims) return value;
  const Dims from = with_axes(value.dims, dims.size());
  const Value shaped = from == value.dims ? value : reshaped(value, from, name + "/axes");
  return from == dims ? shaped : picked(shaped, places_of(from, dims), name);
}

}  // namespace kumiki::gen::onnx
