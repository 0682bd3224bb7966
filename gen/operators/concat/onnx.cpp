// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// What a node joins: every part and its input, the result's shape, and the axis behind that of the
// images.
struct Joined {
  struct Part {
    Value value;
    std::size_t input;
  };
  std::vector<Part> parts;
  Dims dims, made;  // the result's, and as a tensor of the graph has them
  graph::Concat op;
};

std::int64_t product(Dims::const_iterator begin, Dims::const_iterator end) {
  return std::accumulate(begin, end, std::int64_t{1}, std::multiplies());
}

// A shape of more than three axes behind the images is seen as that of the numbers in front of the
// axis, and those along and behind it.
Dims as_lines(const Dims& dims, std::int64_t axis) {
  if (is_plain(dims)) return dims;
  const auto front = product(dims.begin() + 1, dims.begin() + axis),
             back = product(dims.begin() + axis, dims.end());
  return front == 1 ? Dims{1, back} : Dims{1, front, back};
}

Joined joined(Call& call, std::size_t first, std::size_t step) {
  Joined join{.dims = call.any(first).dims};
  const auto axis = axis_of(call, 1, join.dims), rank = std::ssize(join.dims);
  if (axis < 1 || axis >= rank)
    throw Stop{fmt::format("joins {} along axis {}; it must be 1 to {}, behind the images",
                           to_string(join.dims), axis, std::max<std::int64_t>(rank - 1, 1))};
  std::int64_t& sum = join.dims[static_cast<std::size_t>(axis)];
  sum = 0;
  for (std::size_t i = first; i < call.count(); i += step) {
    const Value& value = call.any(i);
    Dims other = value.dims;
    if (other.size() != join.dims.size()) throw Stop{"joins tensors of different numbers of axes"};
    const auto size = std::exchange(other[static_cast<std::size_t>(axis)], sum);
    if (other != join.dims)
      throw Stop{fmt::format("joins {} and {}; the shapes must differ in axis {} alone",
                             to_string(call.any(first).dims), to_string(value.dims), axis)};
    sum += size;
    join.parts.push_back(
        {call.walk.reshaped(value, as_lines(value.dims, axis), call.name(i) + "/lines"), i});
  }
  join.made = as_lines(join.dims, axis);
  join.op.axis = static_cast<int>(is_plain(join.dims) ? axis - 1 : std::ssize(join.made) - 2);
  return join;
}

// Gives all parts one quantiser: the first known one, if any.
std::vector<graph::TensorId> joined_integers(Call& call, const Joined& join) {
  std::vector<graph::TensorId> parts;
  for (const auto& part : join.parts) parts.push_back(call.as_they_are(part.value, part.input).id);
  const auto known =
      std::ranges::find_if(parts, [&](graph::TensorId id) { return !call.walk.is_open(id); });
  for (const graph::TensorId id : parts)
    if (known != parts.end())
      call.walk.seen({id}, quantiser_of(call.walk.tensor(*known)));
    else
      call.walk.follows(id, parts[0]);
  return parts;
}

Pending pending_of(const Call& call, const Joined& join, JoinOf what) {
  what.op = join.op;
  return {.what = std::move(what), .made = join.made, .node = call.label};
}

}  // namespace

static void concat(Call& call) {
  const Joined join = joined(call, 0, 1);
  if (std::holds_alternative<Integers>(join.parts[0].value.is)) {
    const auto parts = joined_integers(call, join);
    const auto to = call.walk.add_tensor(call.out(), shape_of(join.made),
                                         quantiser_of(call.walk.tensor(parts[0])));
    call.walk.follows(to, parts[0]);
    const Value made{join.made, Integers{call.walk.add_node(call.label, join.op, parts, to)}};
    return call.result(call.walk.reshaped(made, join.dims, call.out()));
  }
  JoinOf what;
  for (const auto& [value, i] : join.parts) {
    if (const auto* input = std::get_if<FloatInput>(&value.is)) {
      what.parts.emplace_back(*input);
    } else if (const auto* real = std::get_if<Real>(&value.is)) {
      what.parts.emplace_back(Real{.id = real->id,
                                   .table = real->table,
                                   .approximate = real->approximate,
                                   .error = real->error});
    } else if (is_constant(value)) {
      what.parts.emplace_back(ConstantPart{call.constant_reals(i), value.dims});
    } else {
      call.numbers(value, i);  // says why not
    }
  }
  call.result({join.dims, pending_of(call, join, std::move(what))});
}

// Inputs: scale and zero point of the result, then each input with its scale and zero point.
static void q_linear_concat(Call& call) {
  if (call.count() < 5 || call.count() % 3 != 2)
    throw Stop{fmt::format("has {} inputs; it must have 2, and 3 for each tensor", call.count())};
  const Joined join = joined(call, 2, 3);
  JoinOf what;
  for (const auto& [value, i] : join.parts) {
    const Quantiser q = call.quantiser(i + 1);
    if (!is_constant(value)) {
      what.parts.emplace_back(Real{call.integers(value, i, q)});
      continue;
    }
    ConstantPart part{{}, value.dims};
    for (const auto n : call.constant_integers(i))
      part.values.push_back(dequantise(static_cast<std::int32_t>(n), q));
    what.parts.emplace_back(std::move(part));
  }
  finish_join(call, pending_of(call, join, std::move(what)), join.dims, call.quantiser(0));
}

std::vector<Row> forms(std::type_identity<graph::Concat>) {
  return {
      {{"Concat", "concat",
        "along any axis but that of the images; scales may differ; of constants too"},
       concat},
      {{"com.microsoft.QLinearConcat", "concat",
        "along any axis but that of the images; scales may differ; of constants too"},
       q_linear_concat},
  };
}

}  // namespace kumiki::gen::onnx
