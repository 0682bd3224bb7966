// SPDX-License-Identifier: Apache-2.0
// QONNX: quantisers of 1 to 8 bits whose results are real numbers, as Brevitas and QKeras write
// them. A result is scale * (number - zero point), like that of a DequantizeLinear, so the same
// readers accept it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// The rounding modes of QONNX, in float32; its "half up" rounds away from zero.
float half_away(float x) { return std::copysign(std::floor(std::abs(x) + 0.5F), x); }
float half_to_zero(float x) { return std::copysign(std::ceil(std::abs(x) - 0.5F), x); }
float away(float x) { return std::copysign(std::ceil(std::abs(x)), x); }
float up(float x) { return std::ceil(x); }
float down(float x) { return std::floor(x); }
float to_zero(float x) { return std::trunc(x); }

// Null: to the nearest, ties to even.
float (*rounding_of(Call& call, const char* otherwise))(float) {
  std::string name = call.text("rounding_mode", otherwise);
  for (char& c : name)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (name == "ROUND" || name == "HALF_EVEN") return nullptr;
  if (name == "CEIL") return up;
  if (name == "FLOOR") return down;
  if (name == "UP") return away;
  if (name == "DOWN" || name == "ROUND_TO_ZERO") return to_zero;
  if (name == "HALF_UP") return half_away;
  if (name == "HALF_DOWN") return half_to_zero;
  throw Stop{
      fmt::format("has rounding_mode = {}; it must be ROUND, HALF_EVEN, HALF_UP, HALF_DOWN, CEIL, "
                  "FLOOR, UP, DOWN or ROUND_TO_ZERO",
                  name)};
}

float one_real(Call& call, std::size_t i, const char* what) {
  const auto all = call.constant_reals(i);
  if (all.size() != 1)
    throw Stop{fmt::format("has {} {} in {}; it must have one", all.size(), what, call.from(i))};
  return all[0];
}

// Quantises constants, with a scale for each index of one axis, or one for all.
void constants(Call& call, const std::vector<float>& scales, Target to) {
  const Dims& dims = call.in(0).dims;
  const Dims& of = call.in(1).dims;
  Quantised result{.scales = scales, .is_quant = true};
  std::size_t stride = 1;
  if (scales.size() > 1) {
    std::size_t axes = 0;
    for (std::size_t d = 0; d < of.size() && of.size() <= dims.size(); ++d) {
      const std::size_t axis = dims.size() - of.size() + d;
      if (of[d] == 1) continue;
      result.axis = static_cast<int>(axis);
      axes += of[d] == dims[axis] ? 1 : 2;
    }
    if (axes != 1)
      throw Stop{fmt::format(
          "has scales of {} for {}; it must have one, or one for each index of one axis",
          to_string(of), to_string(dims))};
    for (auto d = static_cast<std::size_t>(result.axis) + 1; d < dims.size(); ++d)
      stride *= static_cast<std::size_t>(dims[d]);
  }
  std::vector<std::int32_t> numbers;
  const auto reals = call.constant_reals(0);
  for (std::size_t i = 0; i < reals.size(); ++i) {
    to.as.scale = scales[scales.size() == 1 ? 0 : i / stride % scales.size()];
    numbers.push_back(number_of(reals[i], to) - to.as.zero_point);
  }
  result.numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(numbers));
  call.result({dims, std::move(result)});
}

void quantise_by(Call& call, const std::vector<float>& scales, Target to) {
  require_scales(scales, call.from(1));
  if (scales.empty()) throw Stop{"has no scale; it must have one"};
  const Value& value = call.padded(0);
  if (is_constant(value)) return constants(call, scales, to);
  if (scales.size() != 1)
    throw Stop{
        "quantises results with several scales; it must have one, only weights may have more"};
  to.as.scale = scales[0];
  // Zeros around a map are unchanged if 0 quantises to the zero point.
  const bool keeps = number_of(0, to) == to.as.zero_point;
  const Value& from = keeps ? value : call.in(0);
  // Quantising twice in the same way changes nothing.
  const graph::TensorId id = call.walk.quantised(from, to, call.out());
  call.result({value.dims, Real{id}, keeps ? value.pads : Pads{}});
}

int bits_of(Call& call, std::size_t i) {
  const float bits = one_real(call, i, "widths");
  if (bits != std::nearbyint(bits) || bits < 1 || bits > 8)
    throw Stop{fmt::format("quantises to {} bits; it must be 1 to 8", bits)};
  return static_cast<int>(bits);
}

int zero_point_of(float zero, const arith::Interval& range) {
  if (zero != std::nearbyint(zero) || !(std::abs(zero) <= 256) ||
      !range.contains(static_cast<std::int64_t>(zero)))
    throw Stop{fmt::format("has the zero point {}; it must be an integer within {}", zero,
                           arith::to_string(range))};
  return static_cast<int>(zero);
}

}  // namespace

void quant(Call& call) {
  const bool is_signed = call.integer("signed", 1) != 0;
  const bool narrow = call.integer("narrow", 0) != 0;
  auto* const rounding = rounding_of(call, "ROUND");
  const float bits = one_real(call, 3, "widths"), zero = one_real(call, 2, "zero points");
  if (bits != std::nearbyint(bits) || bits < 1 || bits > 8 ||
      (bits == 1 && (narrow || (is_signed && zero != 0))))
    throw Stop{
        fmt::format("quantises to {} bits; it must be 1 to 8, and 1 bit allows no narrow range "
                    "and, with a sign, no zero point",
                    bits)};
  // QONNX defines one signed bit as -1 and 1.
  if (bits == 1 && is_signed) return bipolar_quant(call);
  Target to{.as = {.format = {static_cast<int>(bits), is_signed}},
            .rule = Rule::quant,
            .narrow = narrow,
            .rounding = rounding};
  to.as.zero_point = zero_point_of(zero, to.as.format.range());
  quantise_by(call, call.constant_reals(1), to);
}

void bipolar_quant(Call& call) {
  // -1 and 1 fit two signed bits.
  quantise_by(call, call.constant_reals(1), {.as = {.format = {2, true}}, .rule = Rule::bipolar});
}

// Numbers of one quantiser, divided by a power of two and rounded again. Inputs: x, scale, zero
// point, bits, then the bits of the result. The second version has the scale of the result before
// these bits.
void trunc(Call& call) {
  const bool second = call.has(5);
  Target to{.rule = Rule::truncated};
  to.rounding = rounding_of(call, "FLOOR");
  to.first_scale = one_real(call, 1, "scales");
  require_scales({to.first_scale}, call.from(1));
  to.first_zero_point = one_real(call, 2, "zero points");
  const Value& value = call.in(0);
  if (is_constant(value)) throw Stop{"truncates constants: truncate them in the file"};
  if (second) {
    const float scale = one_real(call, 4, "scales");
    require_scales({scale}, call.from(4));
    to.as.scale = scale;
    to.as.format = {bits_of(call, 5), call.integer("signed", 1) != 0};
    to.narrow = call.integer("narrow", 0) != 0;
    to.divisor = std::exp2(std::nearbyint(std::log2(scale / to.first_scale)));
    to.as.zero_point = zero_point_of(to.first_zero_point / to.divisor, to.as.format.range());
    return call.result({value.dims, Real{call.walk.quantised(value, to, call.out())}});
  }
  // Nothing is clamped, and nothing states the sign: assume unsigned numbers if they fit.
  const int bits = bits_of(call, 4);
  const float before = one_real(call, 3, "widths");
  if (before != std::nearbyint(before) || before < bits || before > 32)
    throw Stop{fmt::format("truncates {} bits to {}; they must be {} to 32", before, bits, bits)};
  to.divisor = std::exp2(before - static_cast<float>(bits));
  to.clamps = false;
  to.as.scale = to.first_scale;
  for (const bool is_signed : {false, true}) {
    to.as.format = {bits, is_signed};
    try {
      to.as.zero_point = zero_point_of(to.first_zero_point, to.as.format.range());
      return call.result({value.dims, Real{call.walk.quantised(value, to, call.out())}});
    } catch (const Stop&) {
      if (is_signed) throw;
    }
  }
}

// FINN's operator: the number of its channel's thresholds that a value has reached, times
// out_scale, plus out_bias.
void multi_threshold(Call& call) {
  const Value& value = call.in(0);
  const Dims& of = call.in(1).dims;
  const auto given = call.constant_reals(1);
  const float scale = call.real("out_scale", 1), bias = call.real("out_bias", 0);
  call.ignore("out_dtype");
  const auto layout = call.text("data_layout", value.dims.size() == 3 ? "NWC" : "");
  if (of.size() != 2 || of[1] < 1 || of[1] > 255 ||
      (of[0] != 1 && (value.dims.size() < 2 || of[0] != value.dims[1])))
    throw Stop{
        fmt::format("has thresholds of {} for {}; it must have one row, or one for each channel, "
                    "of 1 to 255 thresholds",
                    to_string(of), to_string(value.dims))};
  if (of[0] != 1 && !layout.empty() && layout.find('C') != 1)
    throw Stop{
        fmt::format("has data_layout = {}; with thresholds for each channel it must be NCHW or NC, "
                    "which a Transpose before it makes",
                    layout)};
  require_scales({scale}, "out_scale");
  const auto levels = static_cast<std::size_t>(of[1]);
  std::vector<std::vector<float>> thresholds;
  for (std::size_t first = 0; first < given.size(); first += levels) {
    const auto from = given.begin() + static_cast<std::ptrdiff_t>(first);
    thresholds.emplace_back(from, from + static_cast<std::ptrdiff_t>(levels));
    std::ranges::sort(thresholds.back());
  }
  Target to{.rule = Rule::counted};
  to.thresholds = std::make_shared<const std::vector<std::vector<float>>>(std::move(thresholds));
  // Writes scale * count + bias as a scale times an integer, for example 2 count - 1.
  for (const int factor : {1, 2}) {
    to.as.scale = scale / static_cast<float>(factor);
    const float lowest = bias / to.as.scale;
    if (lowest != std::nearbyint(lowest) || std::abs(lowest) > 256) continue;
    to.factor = factor;
    to.lowest = static_cast<int>(lowest);
    const arith::Interval made = numbers_of(to);
    to.as.format = {8, made.within(graph::Format{8, true}.range())};
    if (!made.within(to.as.format.range())) continue;
    bool same = true;
    for (std::size_t n = 0; n <= levels; ++n)
      same = same && scale * static_cast<float>(n) + bias ==
                         dequantise(to.lowest + factor * static_cast<int>(n), to.as);
    if (same) return call.result({value.dims, Real{call.walk.quantised(value, to, call.out())}});
  }
  throw Stop{
      fmt::format("gives {} x count + {}; it must be 8 bits times one scale, and out_bias a "
                  "multiple of out_scale / 2",
                  scale, bias)};
}

}  // namespace kumiki::gen::onnx
