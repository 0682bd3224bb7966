// SPDX-License-Identifier: Apache-2.0
// All ONNX operators that the import supports: name, result, limits, reader.
#include <algorithm>

#include "gen/onnx/fold.h"
#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

constexpr auto same = "the same numbers";
constexpr auto quant_limits =
    "1 to 8 bits; signed, narrow; every rounding_mode, of the float input ROUND; one scale, of "
    "constants also per axis";
constexpr auto thresholds_limits =
    "up to 255 thresholds, in one row or one a channel; out_bias a multiple of out_scale / 2; "
    "layouts NCHW and NC";
constexpr auto trunc_limits = "up to 8 bits behind it; one scale; every rounding_mode";
constexpr auto host = "at the end of the model alone: its input is the result";

std::vector<Row> quantisers() {
  return {
      {{"QuantizeLinear", "its producer's result",
        "to int8, uint8, int4, uint4; one scale; of constants also per axis"},
       quantize_linear},
      {{"com.microsoft.QuantizeLinear", "its producer's result", "as QuantizeLinear"},
       quantize_linear},
      {{"DequantizeLinear", same, "of results one scale; of constants also per axis"},
       dequantize_linear},
      {{"com.microsoft.DequantizeLinear", same, "as DequantizeLinear"}, dequantize_linear},
      {{"qonnx.custom_op.general.Quant", "its producer's result", quant_limits}, quant},
      {{"qonnx.custom_op.general.IntQuant", "its producer's result", quant_limits}, quant},
      {{"onnx.brevitas.Quant", "its producer's result", quant_limits}, quant},
      {{"qonnx.custom_op.general.BipolarQuant", "its producer's result",
        "-1 and 1 times one scale"},
       bipolar_quant},
      {{"onnx.brevitas.BipolarQuant", "its producer's result", "-1 and 1 times one scale"},
       bipolar_quant},
      {{"qonnx.custom_op.general.Trunc", "thresholds, lookup", trunc_limits}, trunc},
      {{"onnx.brevitas.Trunc", "thresholds, lookup", trunc_limits}, trunc},
      {{"qonnx.custom_op.general.MultiThreshold", "thresholds, lookup", thresholds_limits},
       multi_threshold},
      {{"finn.custom_op.general.MultiThreshold", "thresholds, lookup", thresholds_limits},
       multi_threshold},
  };
}

std::vector<Row> without_a_node() {
  return {
      {{"Identity", same, ""}, identity},
      {{"Dropout", same, "not in training mode"}, identity},
      {{"Cast", same, "float32 to float32; integers to float32; constants"}, cast},
      {{"Constant", "constant", "tensors and numbers"}, constant},
      {{"Shape", "constant", ""}, shape},
      {{"Size", "constant", ""}, size},
      {{"LogSoftmax", "left to the host", host}, left_to_host},
  };
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> made;
    const auto add = [&](std::vector<Row> some) {
      for (const Row& row : some) made.push_back(row);
    };
    add(quantisers());
    [&]<class... Op>(std::type_identity<std::variant<Op...>>) {
      (add(forms(std::type_identity<Op>{})), ...);
    }(std::type_identity<graph::Operator>{});
    add(without_a_node());
    for (const std::string_view op : folded_operators())
      if (std::ranges::find(made, op, [](const Row& r) { return r.what.op; }) == made.end())
        made.push_back({{op, "constant", "of constants"}, of_constants_only});
    return made;
  }();
  return all;
}

}  // namespace

const Row* row_of(std::string_view op) {
  const auto found = std::ranges::find(rows(), op, [](const Row& r) { return r.what.op; });
  return found == rows().end() ? nullptr : &*found;
}

std::vector<Supported> supported() {
  std::vector<Supported> all;
  for (const Row& row : rows()) all.push_back(row.what);
  return all;
}

}  // namespace kumiki::gen::onnx
