// SPDX-License-Identifier: Apache-2.0
// Unchanged numbers, zeros around them, and constants that describe shapes.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  if (const auto* constant = std::get_if<Constant>(&value.is);
      constant != nullptr && !is_float(constant->array->type) && (to == 6 || to == 7))
    return call.result({value.dims, Constant{std::make_shared<const Array>(
                                        array_of(value.dims, constant->array->integers()))}});
  if (const auto* constant = std::get_if<Constant>(&value.is); constant != nullptr && to == 1) {
    std::vector<float> reals;
    if (is_float(constant->array->type))
      reals = constant->array->floats();
    else
      for (const auto n : constant->array->integers()) reals.push_back(static_cast<float>(n));
    return call.result(
        {value.dims, Constant{std::make_shared<const Array>(array_of(value.dims, reals))}});
  }
  // Integers as real numbers of the same value.
  if (const auto* integers = std::get_if<Integers>(&value.is); integers != nullptr && to == 1) {
    const graph::Format format = call.walk.tensor(integers->id).format;
    return call.result({value.dims, Real{call.walk.seen(*integers, {format, 0, 1})}, value.pads});
  }
  if (!real || to != 1)
    throw Stop{
        "changes the type of numbers; it must be float32 to float32, integers and constants to "
        "float32, or integers of shapes"};
  call.result(value);
}

// Zeros around a map. A following convolution or pool makes them its own padding; for other readers
// they are computed.
void pad(Call& call) {
  Value value = call.padded(0);
  if (call.text("mode", "constant") != "constant")
    throw Stop{fmt::format("has mode = {}; it must be constant", call.text("mode", ""))};
  auto pads = call.has(1) ? call.constant_integers(1) : call.integers("pads", {});
  const std::size_t rank = value.dims.size();
  if (call.has(3)) {
    const auto axes = call.constant_integers(3);
    if (pads.size() != 2 * axes.size())
      throw Stop{fmt::format("has {} pads for {} axes; it must have two for each", pads.size(),
                             axes.size())};
    Dims all(2 * rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto axis = axes[i] + (axes[i] < 0 ? static_cast<std::int64_t>(rank) : 0);
      if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
        throw Stop{fmt::format("pads axis {} of {}", axes[i], to_string(value.dims))};
      all[static_cast<std::size_t>(axis)] = pads[i];
      all[static_cast<std::size_t>(axis) + rank] = pads[i + axes.size()];
    }
    pads = all;
  }
  if (rank != 4 || pads.size() != 8 || pads[0] != 0 || pads[1] != 0 || pads[4] != 0 ||
      pads[5] != 0 || std::ranges::any_of(pads, [](auto v) { return v < 0 || v > 1 << 16; }))
    throw Stop{fmt::format("pads {} by {}; it must pad rows and columns only, by 0 to 65536",
                           to_string(value.dims), fmt::format("[{}]", fmt::join(pads, ", ")))};
  if (const auto* integers = std::get_if<Integers>(&value.is);
      integers != nullptr && call.walk.is_open(integers->id))
    throw Stop{
        "pads integers whose zero point is not known yet; put Pad after the DequantizeLinear"};
  bool zero = true;
  if (call.has(2)) {
    if (const auto* weights = std::get_if<Quantised>(&call.in(2).is)) {
      zero = weights->numbers->size() == 1 && weights->numbers->front() == 0;
    } else if (const Array& with = call.constant(2); is_float(with.type)) {
      zero = with.count() == 1 && with.floats()[0] == 0;
    } else if (const auto* integers = std::get_if<Integers>(&value.is)) {
      zero = with.count() == 1 && with.integers()[0] == call.walk.tensor(integers->id).zero_point;
    }
  } else if (const auto* integers = std::get_if<Integers>(&value.is)) {
    zero = call.walk.tensor(integers->id).zero_point == 0;
  }
  if (!zero || call.real("value", 0) != 0)
    throw Stop{"pads with another value than 0; it must be 0, or the zero point of integers"};
  if (const auto* real = std::get_if<Real>(&value.is)) {
    if (!real->table.empty()) throw Stop{"pads what is not quantised yet: quantise it first"};
  } else if (!std::holds_alternative<Integers>(value.is) &&
             !std::holds_alternative<FloatInput>(value.is)) {
    throw Stop{"pads what is not quantised: quantise it first"};
  }
  for (const std::size_t a : {0, 1}) {
    value.pads[a] += static_cast<int>(pads[a + 2]);
    value.pads[a + 2] += static_cast<int>(pads[a + 6]);
    value.dims[a + 2] += pads[a + 2] + pads[a + 6];
    if (value.pads[a] > 1 << 20 || value.pads[a + 2] > 1 << 20)
      throw Stop{"pads a map by more than 1048576 in all; use less padding"};
  }
  call.result(std::move(value));
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
  Dims dims = call.in(0).dims;
  if (!dims.empty() && has_images(call.in(0))) dims[0] = call.walk.batch();
  const auto rank = static_cast<std::int64_t>(dims.size());
  auto within = [&](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const auto from = within(call.integer("start", 0)), to = within(call.integer("end", rank));
  dims = from < to ? Dims(dims.begin() + from, dims.begin() + to) : Dims{};
  const Dims of{static_cast<std::int64_t>(dims.size())};
  call.result({of, Constant{std::make_shared<const Array>(array_of(of, dims))}});
}

// Picks from a list of constants, as PyTorch picks sizes from shapes.
void gather(Call& call) {
  const auto data = call.constant_integers(0);
  auto picked = call.constant_integers(1);
  if (call.in(0).dims.size() != 1 || call.integer("axis", 0) != 0)
    throw Stop{"picks out of more than a list; it must be a list of integers"};
  for (auto& i : picked) {
    if (i < 0) i += static_cast<std::int64_t>(data.size());
    if (i < 0 || i >= static_cast<std::int64_t>(data.size()))
      throw Stop{fmt::format("picks number {} of {}", i, data.size())};
    i = data[static_cast<std::size_t>(i)];
  }
  const Dims& dims = call.in(1).dims;
  call.result({dims, Constant{std::make_shared<const Array>(array_of(dims, picked))}});
}

// The last step, which the host does in float.
void left_to_host(Call& call) {
  for (const auto& [name, value] : call.node.attributes) call.ignore(name);
  const Value& value = call.in(0);
  const auto* host = std::get_if<Host>(&value.is);
  const auto* integers = std::get_if<Integers>(&value.is);
  const graph::TensorId id = host != nullptr       ? host->id
                             : integers != nullptr ? integers->id
                                                   : call.numbers(0);
  call.walk.note(fmt::format("node {}: {} is left to the host; the result is its input", call.label,
                             call.node.op));
  call.result({value.dims, Host{id}});
}

bool has_images(const Value& value) {
  return !std::holds_alternative<Constant>(value.is) &&
         !std::holds_alternative<Quantised>(value.is);
}

}  // namespace kumiki::gen::onnx
