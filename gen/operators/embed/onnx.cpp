// SPDX-License-Identifier: Apache-2.0
// Gather of a table by indices that are an input of the model. Gather by constants is a pick.
#include <algorithm>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {

bool embedded(Call& call) {
  const Value &table = call.any(0), &places = call.any(1);
  if (!is_constant(table) || is_constant(places)) return false;
  if (table.dims.size() != 2 || axis_of(call, 0, table.dims) != 0)
    throw Stop{fmt::format("reads {}; it must be a table of rows and columns, with axis = 0",
                           to_string(table.dims))};
  const auto rows = table.dims[0], size = table.dims[1];
  if (rows < 1 || size < 1 || rows > graph::largest_axis || size > graph::largest_axis)
    throw Stop{fmt::format("has a table of {}; its axes must be 1 to {}", to_string(table.dims),
                           graph::largest_axis)};
  const graph::TensorId in = call.walk.indices(places, rows);
  Dims made = places.dims;
  made.push_back(size);
  const graph::Shape shape = shape_of(made);
  const auto* constant = std::get_if<Constant>(&table.is);
  if (constant == nullptr || is_float(constant->array->type)) {
    EmbedOf what{in, static_cast<int>(size), call.constant_reals(0)};
    call.result({made, Pending{.what = std::move(what), .made = made, .node = call.label}});
    return true;
  }
  // Whoever reads the numbers says what they mean.
  const Quantiser q{format_of(constant->array->type), 0, 1};
  graph::Embed op{.size = static_cast<int>(size), .vectors = {}};
  for (const std::int64_t n : call.constant_integers(0)) {
    if (q.format.bits > 8)
      throw Stop{fmt::format("has a table of {}; it must have at most 8 bits",
                             to_string(constant->array->type))};
    op.vectors.push_back(static_cast<std::int16_t>(n));
  }
  const graph::TensorId to = call.walk.add_tensor(call.out(), shape, q);
  call.walk.leave_open(to);
  call.result({made, Integers{call.walk.add_node(call.label, std::move(op), {in}, to)}});
  return true;
}

// Gather is listed as a pick.
std::vector<Row> forms(std::type_identity<graph::Embed>) { return {}; }

}  // namespace kumiki::gen::onnx
