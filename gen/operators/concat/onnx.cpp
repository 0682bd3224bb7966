// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// Joins along the channels; the other axes must have the same size.
Dims joined_dims(Call& call, std::int64_t axis, std::size_t first, std::size_t step) {
  Dims dims = call.in(first).dims;
  if (axis != 1 || dims.size() < 2)
    throw Stop{
        fmt::format("joins {} along axis {}; it must be 1, the channels", to_string(dims), axis)};
  dims[1] = 0;
  for (std::size_t i = first; i < call.count(); i += step) {
    Dims other = call.in(i).dims;
    if (other.size() != dims.size()) throw Stop{"joins tensors of different numbers of axes"};
    const auto channels = std::exchange(other[1], dims[1]);
    if (other != dims)
      throw Stop{fmt::format("joins {} and {}; the shapes must differ in the channels alone",
                             to_string(call.in(first).dims), to_string(call.in(i).dims))};
    dims[1] += channels;
  }
  return dims;
}

// Gives all parts one quantiser: the first known one, if any.
std::vector<graph::TensorId> joined_integers(Call& call) {
  std::vector<graph::TensorId> parts;
  for (std::size_t i = 0; i < call.count(); ++i)
    parts.push_back(call.as_they_are(call.in(i), i).id);
  const auto known =
      std::ranges::find_if(parts, [&](graph::TensorId id) { return !call.walk.is_open(id); });
  for (const graph::TensorId id : parts)
    if (known != parts.end())
      call.walk.seen({id}, quantiser_of(call.walk.tensor(*known)));
    else
      call.walk.follows(id, parts[0]);
  return parts;
}

}  // namespace

static void concat(Call& call) {
  const Dims& first = call.in(0).dims;
  const auto axis = axis_of(call, 1, first);
  const Dims dims = joined_dims(call, axis, 0, 1);
  if (std::holds_alternative<Integers>(call.in(0).is)) {
    const auto parts = joined_integers(call);
    const Quantiser q = quantiser_of(call.walk.tensor(parts[0]));
    graph::Shape shape;
    for (std::size_t i = 1; i < dims.size(); ++i) shape.push_back(static_cast<int>(dims[i]));
    const auto to = call.walk.add_tensor(call.out(), shape, q);
    call.walk.follows(to, parts[0]);
    return call.result(
        {dims, Integers{call.walk.add_node(call.label, graph::Concat{}, parts, to)}});
  }
  JoinOf join;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (const auto* input = std::get_if<FloatInput>(&call.in(i).is)) {
      join.parts.emplace_back(*input);
    } else if (const auto* real = std::get_if<Real>(&call.in(i).is)) {
      join.parts.emplace_back(Real{.id = real->id,
                                   .table = real->table,
                                   .approximate = real->approximate,
                                   .error = real->error});
    } else if (is_constant(call.in(i))) {
      join.parts.emplace_back(ConstantPart{call.constant_reals(i), call.in(i).dims});
    } else {
      call.numbers(i);  // says why not
    }
  }
  call.result({dims, Pending{.what = std::move(join), .made = dims, .node = call.label}});
}

// Inputs: scale and zero point of the result, then each input with its scale and zero point.
static void q_linear_concat(Call& call) {
  if (call.count() < 5 || call.count() % 3 != 2)
    throw Stop{fmt::format("has {} inputs; it must have 2, and 3 for each tensor", call.count())};
  const Dims dims = joined_dims(call, axis_of(call, 1, call.in(2).dims), 2, 3);
  JoinOf join;
  for (std::size_t i = 2; i < call.count(); i += 3) {
    const Quantiser q = call.quantiser(i + 1);
    if (!is_constant(call.in(i))) {
      join.parts.emplace_back(Real{call.integers(i, q)});
      continue;
    }
    ConstantPart part{{}, call.in(i).dims};
    for (const auto n : call.constant_integers(i))
      part.values.push_back(dequantise(static_cast<std::int32_t>(n), q));
    join.parts.emplace_back(std::move(part));
  }
  finish_join(call, {.what = std::move(join), .made = dims, .node = call.label}, dims,
              call.quantiser(0));
}

std::vector<Row> forms(std::type_identity<graph::Concat>) {
  return {
      {{"Concat", "concat", "along the channels; scales may differ; of constants too"}, concat},
      {{"com.microsoft.QLinearConcat", "concat",
        "along the channels; scales may differ; of constants too"},
       q_linear_concat},
  };
}

}  // namespace kumiki::gen::onnx
