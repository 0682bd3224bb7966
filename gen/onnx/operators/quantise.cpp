// SPDX-License-Identifier: Apache-2.0
// Conversions between real numbers and integers.
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// The scales, one for all or one for each index of `axis`.
std::vector<float> scales_of(Call& call, const Dims& dims, int& axis) {
  const Array& array = call.constant(1);
  if (array.type != Type::f32)
    throw Stop{
        fmt::format("has {} of {}; it must be float32", call.from(1), to_string(array.type))};
  auto scales = array.floats();
  auto given = call.integer("axis", 1);
  if (call.integer("block_size", 0) != 0)
    throw Stop{"has scales for blocks; use scales for an axis, or one for all"};
  if (given < 0) given += static_cast<std::int64_t>(dims.size());
  axis = static_cast<int>(given);
  if (scales.size() > 1 &&
      (array.dims.size() != 1 || given < 0 || given >= static_cast<std::int64_t>(dims.size()) ||
       dims[static_cast<std::size_t>(given)] != static_cast<std::int64_t>(scales.size())))
    throw Stop{fmt::format(
        "has {} scales for axis {} of {}; it must have one, or one for each index of the axis",
        scales.size(), given, to_string(dims))};
  require_scales(scales, call.from(1));
  if (scales.empty()) throw Stop{"has no scale; it must have one"};
  return scales;
}

// The zero points, one for each scale.
std::vector<std::int64_t> zeros_of(Call& call, std::size_t scales, Type& type) {
  if (!call.has(2)) return std::vector<std::int64_t>(scales, 0);
  const Array& array = call.constant(2);
  auto zeros = array.integers();
  if (is_float(array.type) || zeros.size() != scales)
    throw Stop{fmt::format("has {} zero points of {}; it must have {} integers, as many as scales",
                           zeros.size(), to_string(array.type), scales)};
  type = array.type;
  return zeros;
}

std::size_t stride_of(const Dims& dims, int axis) {
  std::size_t stride = 1;
  for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < dims.size(); ++i)
    stride *= static_cast<std::size_t>(dims[i]);
  return stride;
}

}  // namespace

void quantize_linear(Call& call) {
  const Value& value = call.padded(0);
  if (std::holds_alternative<Host>(value.is)) return left_to_host(call);
  call.ignore("saturate");  // for unsupported types
  int axis = 0;
  const auto scales = scales_of(call, value.dims, axis);
  Type type = Type::u8;
  if (const auto wanted = call.integer("output_dtype", 0); wanted != 0) {
    if (wanted != 2 && wanted != 3)
      throw Stop{fmt::format("has the output_dtype {}; it must be 2 (uint8) or 3 (int8)", wanted)};
    type = wanted == 2 ? Type::u8 : Type::s8;
  }
  const auto zeros = zeros_of(call, scales.size(), type);
  auto quantiser = [&](std::size_t i) {
    return Quantiser{format_of(type), static_cast<int>(zeros[i]), scales[i]};
  };
  if (const auto* constant = std::get_if<Constant>(&value.is)) {
    if (!is_float(constant->array->type))
      throw Stop{fmt::format("quantises constants of {}", to_string(constant->array->type))};
    const auto numbers = constant->array->floats();
    const std::size_t stride = stride_of(value.dims, axis);
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isnan(numbers[i])) throw Stop{"quantises a constant that is not a number"};
      result.push_back(
          quantise(numbers[i], quantiser(scales.size() == 1 ? 0 : i / stride % scales.size())));
    }
    const Type kept = type == Type::s32           ? Type::s64
                      : format_of(type).is_signed ? Type::s8
                                                  : Type::u8;
    Array made = array_of(value.dims, result, kept);
    return call.result({value.dims, Constant{std::make_shared<const Array>(std::move(made))}});
  }
  if (scales.size() > 1)
    throw Stop{
        "quantises results with several scales; it must have one, only weights may have more"};
  // Padding is 0, which becomes the zero point of any quantiser.
  call.result(
      {value.dims, Integers{call.walk.quantised(value, quantiser(0), call.out())}, value.pads});
}

void dequantize_linear(Call& call) {
  const Value& value = call.padded(0);
  if (std::holds_alternative<Host>(value.is)) return left_to_host(call);
  int axis = 0;
  const auto scales = scales_of(call, value.dims, axis);
  Type type = Type::other;
  const auto zeros = zeros_of(call, scales.size(), type);
  if (const auto* constant = std::get_if<Constant>(&value.is)) {
    if (is_float(constant->array->type)) throw Stop{"dequantises constants that are real numbers"};
    if (call.has(2)) require_alike(type, constant->array->type, "constants");
    const auto numbers = constant->array->integers();
    const std::size_t stride = stride_of(value.dims, axis);
    std::vector<std::int32_t> result;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto zero = zeros[scales.size() == 1 ? 0 : i / stride % scales.size()];
      const arith::Interval less = arith::Interval::point(numbers[i]) - zero;
      if (!less.within(arith::signed_range(32)))
        throw Stop{fmt::format("dequantises the constant {}; it must fit 32 bits", numbers[i])};
      result.push_back(static_cast<std::int32_t>(less.lo));
    }
    return call.result(
        {value.dims,
         Quantised{.numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(result)),
                   .scales = scales,
                   .axis = axis,
                   .zero_point = static_cast<int>(zeros[0])}});
  }
  if (std::holds_alternative<Indices>(value.is)) call.as_they_are(value, 0);  // throws
  const auto* integers = std::get_if<Integers>(&value.is);
  if (integers == nullptr) throw Stop{"dequantises what is not quantised"};
  if (scales.size() > 1) throw Stop{"dequantises results with several scales; it must have one"};
  const Quantiser q{call.walk.tensor(integers->id).format, static_cast<int>(zeros[0]), scales[0]};
  if (call.has(2) && format_of(type) != q.format && q.format.bits >= 8)
    throw Stop{fmt::format("has a zero point of {} for numbers of another type", to_string(type))};
  call.result({value.dims, Real{call.walk.seen(*integers, q)}, value.pads});
}

}  // namespace kumiki::gen::onnx
