// SPDX-License-Identifier: Apache-2.0
// Products of two results. MatMul and QLinearMatMul are listed with the convolution, which reads
// those with constant weights.
#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// Whether the numbers of each column follow each other in the tensor that it is moved from.
bool has_columns_together(const Walk& walk, graph::TensorId id, const Dims& dims) {
  const auto columns = static_cast<std::size_t>(dims.back());
  if (dims[dims.size() - 2] == 1 || columns == 1) return false;
  return walk.place_before(id, columns) == walk.place_before(id, 0) + 1;
}

Value product_of(Call& call, graph::TensorId a, graph::TensorId b, std::size_t second) {
  const Dims &first = call.in(0).dims, &other = call.in(second).dims;
  const std::size_t axes = first.size();
  bool fits = axes >= 3 && other.size() == axes && first[axes - 1] == other[axes - 2];
  for (std::size_t i = 0; i + 2 < axes && fits; ++i) fits = first[i] == other[i];
  if (!fits)
    throw Stop{
        fmt::format("multiplies {} and {}; it must be [..., rows, terms] and [..., terms, "
                    "columns], with equal axes in front",
                    to_string(first), to_string(other))};
  Dims made = first;
  made.back() = other.back();
  const bool by_pixels = has_columns_together(call.walk, b, other);
  MatricesOf what{.a = call.walk.map_of_rows(a, first, call.label + "/rows"),
                  .b = by_pixels ? call.walk.map_of_rows(b, other, call.label + "/columns")
                                 : call.walk.map_of_columns(b, other, call.label + "/columns")};
  what.op = {.groups = axes == 4 ? static_cast<int>(first[1]) : 1, .by_pixels = by_pixels ? 1 : 0};
  return call.walk.rows_of_map(what, made, call.label);
}

}  // namespace

void product_of_results(Call& call) {
  const graph::TensorId a = call.numbers(0), b = call.numbers(1);
  call.result(product_of(call, a, b, 1));
}

void q_product_of_results(Call& call) {
  const graph::TensorId a = call.integers(0, call.quantiser(1)),
                        b = call.integers(3, call.quantiser(4));
  const Value value = product_of(call, a, b, 3);
  call.result({value.dims, Integers{call.walk.quantised(value, call.quantiser(6), call.out())}});
}

std::vector<Row> forms(std::type_identity<graph::MatMul>) { return {}; }

}  // namespace kumiki::gen::onnx
