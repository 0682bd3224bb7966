// SPDX-License-Identifier: Apache-2.0
// QONNX: quantisers whose results are real numbers, of 1 to 8 bits, as Brevitas and QKeras write
// them. A result behind one is scale * (number - zero point), so it is what a DequantizeLinear
// makes, and everything that reads those reads these.
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

float one_real(Call& call, std::size_t i, const char* what) {
  const auto all = call.constant_reals(i);
  if (all.size() != 1)
    throw Stop{fmt::format("has {} {} in {}: one is legal", all.size(), what, call.from(i))};
  return all[0];
}

// Constants by a scale for each index of one axis, or one for all.
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
      throw Stop{
          fmt::format("has scales of {} for {}: one, or one for each index of one axis, is "
                      "legal",
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
  const Value& value = call.padded(0);
  if (is_constant(value)) return constants(call, scales, to);
  if (scales.size() != 1)
    throw Stop{"quantises results with several scales: one scale is legal, weights may have more"};
  to.as.scale = scales[0];
  if (value.pads != Pads{}) throw Stop{"quantises what Pad made: Pad behind it is legal"};
  // Twice the same changes nothing.
  const graph::TensorId id = call.walk.quantised(value, to, call.out());
  call.result({value.dims, Real{id}});
}

}  // namespace

void quant(Call& call) {
  const bool is_signed = call.integer("signed", 1) != 0;
  const bool narrow = call.integer("narrow", 0) != 0;
  const auto rounding = call.text("rounding_mode", "ROUND");
  if (rounding != "ROUND" && rounding != "HALF_EVEN")
    throw Stop{fmt::format("has rounding_mode = {}: ROUND, half to even, is legal", rounding)};
  const float bits = one_real(call, 3, "widths"), zero = one_real(call, 2, "zero points");
  if (bits != std::nearbyint(bits) || bits < 1 || bits > 8 ||
      (bits == 1 && (narrow || (is_signed && zero != 0))))
    throw Stop{
        fmt::format("quantises to {} bits: 1 to 8 are legal; of 1 bit neither a narrow range nor, "
                    "with a sign, a zero point",
                    bits)};
  // One bit with a sign is -1 and 1, as QONNX has it.
  if (bits == 1 && is_signed) return bipolar_quant(call);
  Target to{
      .as = {.format = {static_cast<int>(bits), is_signed}}, .rule = Rule::quant, .narrow = narrow};
  const arith::Interval range = to.as.format.range();
  if (zero != std::nearbyint(zero) || !(std::abs(zero) <= 256) ||
      !range.contains(static_cast<std::int64_t>(zero)))
    throw Stop{fmt::format("has the zero point {}: an integer of {} is legal", zero,
                           arith::to_string(range))};
  to.as.zero_point = static_cast<int>(zero);
  quantise_by(call, call.constant_reals(1), to);
}

void bipolar_quant(Call& call) {
  // -1 and 1, which two bits with a sign hold.
  quantise_by(call, call.constant_reals(1), {.as = {.format = {2, true}}, .rule = Rule::bipolar});
}

}  // namespace kumiki::gen::onnx
