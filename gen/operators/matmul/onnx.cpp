// SPDX-License-Identifier: Apache-2.0
// Products of two results. MatMul and QLinearMatMul are listed with the convolution, which reads
// those with constant weights.
#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

Pending product_of(Call& call, graph::TensorId a, graph::TensorId b, std::size_t second) {
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
  return {.what = MatricesOf{a, b}, .made = made, .node = call.label};
}

}  // namespace

void product_of_results(Call& call) {
  const graph::TensorId a = call.numbers(0), b = call.numbers(1);
  Pending pending = product_of(call, a, b, 1);
  const Dims made = pending.made;
  call.result({made, std::move(pending)});
}

void q_product_of_results(Call& call) {
  const graph::TensorId a = call.integers(0, call.quantiser(1)),
                        b = call.integers(3, call.quantiser(4));
  Pending pending = product_of(call, a, b, 3);
  const Dims made = pending.made;
  finish_join(call, std::move(pending), made, call.quantiser(6));
}

std::vector<Row> forms(std::type_identity<graph::MatMul>) { return {}; }

}  // namespace kumiki::gen::onnx
