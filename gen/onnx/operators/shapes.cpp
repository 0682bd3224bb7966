// SPDX-License-Identifier: Apache-2.0
// Unchanged numbers, and constants that describe shapes.
#include <algorithm>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {

void identity(Call& call) {
  if (call.has(2) && call.constant_integers(2) != std::vector<std::int64_t>{0})
    throw Stop{"is in training mode: export the model for inference"};
  call.ignore("ratio");
  call.ignore("seed");
  call.result(call.padded(0));
}

void cast(Call& call) {
  const auto to = call.integer("to", 0);
  call.ignore("saturate");
  const Value& value = call.padded(0);
  const bool real = std::holds_alternative<Real>(value.is) ||
                    std::holds_alternative<Pending>(value.is) ||
                    std::holds_alternative<FloatInput>(value.is);
  constexpr std::int64_t int32 = 6, int64 = 7;
  if (std::holds_alternative<Indices>(value.is) && (to == int32 || to == int64))
    return call.result(value);
  if (std::holds_alternative<Indices>(value.is) && to == 1)
    return call.result({value.dims, Real{call.walk.integer_input(value)}});
  // Integers as real numbers of the same value.
  if (const auto* integers = std::get_if<Integers>(&value.is); integers != nullptr && to == 1) {
    const graph::Format format = call.walk.tensor(integers->id).format;
    return call.result({value.dims, Real{call.walk.seen(*integers, {format, 0, 1})}, value.pads});
  }
  if (!real || to != 1)
    throw Stop{
        "changes the type of numbers; it must be float32 to float32, integers to float32, or of "
        "constants"};
  call.result(value);
}

void constant(Call& call) {
  Array array;
  if (const auto* value = call.attribute("value"); value != nullptr) {
    if (!std::holds_alternative<Array>(*value)) throw Stop{"has a value that is not a tensor"};
    array = std::get<Array>(*value);
  } else if (call.node.attributes.contains("value_float")) {
    array = array_of(Dims{}, std::vector<float>{call.real("value_float", 0)});
  } else if (call.node.attributes.contains("value_int")) {
    array = array_of(Dims{}, std::vector<std::int64_t>{call.integer("value_int", 0)});
  } else if (call.node.attributes.contains("value_ints")) {
    const auto values = call.integers("value_ints", {});
    array = array_of({static_cast<std::int64_t>(values.size())}, values);
  } else {
    throw Stop{"has none of value, value_float, value_int and value_ints"};
  }
  const Dims dims = array.dims;
  call.result({dims, Constant{std::make_shared<const Array>(std::move(array))}});
}

void shape(Call& call) {
  Dims dims = call.padded(0).dims;
  if (!dims.empty() && has_images(call.padded(0))) dims[0] *= call.walk.batch();
  const auto rank = static_cast<std::int64_t>(dims.size());
  auto within = [&](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const auto from = within(call.integer("start", 0)), to = within(call.integer("end", rank));
  dims = from < to ? Dims(dims.begin() + from, dims.begin() + to) : Dims{};
  const Dims of{static_cast<std::int64_t>(dims.size())};
  call.result({of, Constant{std::make_shared<const Array>(array_of(of, dims))}});
}

// How many numbers there are.
void size(Call& call) {
  std::int64_t all = has_images(call.padded(0)) ? call.walk.batch() : 1;
  for (const auto d : call.padded(0).dims) all *= d;
  call.result({{}, Constant{std::make_shared<const Array>(array_of(Dims{}, Dims{all}))}});
}

void of_constants_only(Call&) {
  throw Stop{"computes with results; it is computed of constants only"};
}

// The last step, which the host does in float.
void left_to_host(Call& call) {
  for (const auto& [name, value] : call.node.attributes) call.ignore(name);
  const Value& value = call.any(0);
  const auto* host = std::get_if<Host>(&value.is);
  const auto* integers = std::get_if<Integers>(&value.is);
  const graph::TensorId id = host != nullptr       ? host->id
                             : integers != nullptr ? integers->id
                                                   : call.numbers(value, 0);
  call.walk.note(fmt::format("node {}: {} is left to the host; the result is its input", call.label,
                             call.node.op));
  call.result({value.dims, Host{id}});
}

bool has_images(const Value& value) {
  return !std::holds_alternative<Constant>(value.is) &&
         !std::holds_alternative<Quantised>(value.is);
}

}  // namespace kumiki::gen::onnx
