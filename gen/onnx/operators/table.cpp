// SPDX-License-Identifier: Apache-2.0
// Every operator that is imported: name, what it becomes, limits, who does it.
#include <algorithm>
#include <array>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

constexpr auto same = "the same numbers";
constexpr auto sums =
    "weights constant, up to 8 bits, with any zero points; scales per tensor or per channel; bias "
    "int32 with the scale input x weights, or real numbers, by thresholds";
constexpr auto gemm_limits =
    "as MatMul; any alpha but 0; beta other than 1 as a bias of real numbers; transB";
constexpr auto quant_limits =
    "1 to 8 bits; signed, narrow; every rounding_mode, of the float input ROUND; one scale, of "
    "constants also per axis";
constexpr auto links =
    "a number for each channel or for all, before a quantiser, of the float input too; of two "
    "constants";
constexpr auto quantised = "between quantised numbers";
constexpr auto thresholds_limits =
    "up to 255 thresholds, in one row or one a channel; out_bias a multiple of out_scale / 2; "
    "layouts NCHW and NC";
constexpr auto trunc_limits = "up to 8 bits behind it; one scale; every rounding_mode";
constexpr auto host = "at the end of the model alone: its input is the result";

constexpr auto rows = std::to_array<Row>({
    {{"QuantizeLinear", "its producer's result",
      "to int8, uint8, int4, uint4; one scale; of constants also per axis"},
     quantize_linear},
    {{"DequantizeLinear", same, "of results one scale; of constants also per axis"},
     dequantize_linear},
    {{"com.microsoft.QuantizeLinear", "its producer's result", "as QuantizeLinear"},
     quantize_linear},
    {{"com.microsoft.DequantizeLinear", same, "as DequantizeLinear"}, dequantize_linear},
    {{"qonnx.custom_op.general.Quant", "its producer's result", quant_limits}, quant},
    {{"qonnx.custom_op.general.BipolarQuant", "its producer's result", "-1 and 1 times one scale"},
     bipolar_quant},
    {{"qonnx.custom_op.general.IntQuant", "its producer's result", quant_limits}, quant},
    {{"qonnx.custom_op.general.Trunc", "thresholds, lookup", trunc_limits}, trunc},
    {{"qonnx.custom_op.general.MultiThreshold", "thresholds, lookup", thresholds_limits},
     multi_threshold},
    {{"finn.custom_op.general.MultiThreshold", "thresholds, lookup", thresholds_limits},
     multi_threshold},
    {{"onnx.brevitas.Trunc", "thresholds, lookup", trunc_limits}, trunc},
    {{"onnx.brevitas.Quant", "its producer's result", quant_limits}, quant},
    {{"onnx.brevitas.BipolarQuant", "its producer's result", "-1 and 1 times one scale"},
     bipolar_quant},
    {{"Conv", "conv", sums}, conv},
    {{"Gemm", "conv", gemm_limits}, gemm},
    {{"MatMul", "conv", sums}, mat_mul},
    {{"QLinearConv", "conv", sums}, q_linear_conv},
    {{"QLinearMatMul", "conv", sums}, q_linear_mat_mul},
    {{"com.microsoft.QGemm", "conv", sums}, q_gemm},
    {{"ConvInteger", "conv", "sums within 24 bits and a sign"}, conv_integer},
    {{"MatMulInteger", "conv", "sums within 24 bits and a sign"}, mat_mul_integer},
    {{"Add", "add, bias, thresholds, lookup",
      "of equal shapes; of a convolution and its int32 bias; of constants, quantised or not, one "
      "for "
      "each channel or for all; of the float input"},
     add},
    {{"com.microsoft.QLinearAdd", "add, thresholds, lookup",
      "of equal shapes; of constants, one for each channel or for all"},
     q_linear_add},
    {{"Concat", "concat", "along the channels; scales may differ"}, concat},
    {{"com.microsoft.QLinearConcat", "concat", "along the channels; scales may differ"},
     q_linear_concat},
    {{"MaxPool", "max_pool", "2 dimensions; strides, dilations, pads, ceil_mode"}, max_pool},
    {{"AveragePool", "conv, global_average, average_pool",
      "2 dimensions; strides; pads with count_include_pad = 1 alone"},
     average_pool},
    {{"BatchNormalization", "thresholds",
      "behind sums of products, of quantised numbers, or of the float input, and before a "
      "quantiser"},
     batch_normalization},
    {{"GlobalAveragePool", "global_average", "2 dimensions"}, global_average_pool},
    {{"com.microsoft.QLinearGlobalAveragePool", "global_average", "2 dimensions; channels_last 0"},
     q_linear_global_average_pool},
    {{"ReduceMean", "global_average", "over rows and columns"}, reduce_mean},
    {{"ArgMax", "arg_max", "of a vector; the first of equal ones"}, arg_max},
    {{"Relu", "clamp, lookup", "behind anything that is quantised then"}, relu},
    {{"Clip", "clamp, lookup",
      "behind anything that is quantised then; of integers, as QCDQ has it"},
     clip},
    {{"LeakyRelu", "lookup, thresholds", "between quantised numbers; behind sums, alpha from 0 on"},
     leaky_relu},
    {{"PRelu", "lookup, thresholds",
      "one slope, or slopes from 0 on for each channel; between quantised numbers or behind sums"},
     p_relu},
    {{"Sigmoid", "lookup", quantised}, sigmoid},
    {{"Tanh", "lookup", quantised}, tanh_of},
    {{"HardSigmoid", "lookup", quantised}, hard_sigmoid},
    {{"HardSwish", "lookup", quantised}, hard_swish},
    {{"Elu", "lookup", quantised}, elu},
    {{"Celu", "lookup", quantised}, celu},
    {{"Selu", "lookup", quantised}, selu},
    {{"Softplus", "lookup", quantised}, softplus},
    {{"Softsign", "lookup", quantised}, softsign},
    {{"ThresholdedRelu", "lookup", quantised}, thresholded_relu},
    {{"Gelu", "lookup", quantised}, gelu},
    {{"com.microsoft.Gelu", "lookup", quantised}, gelu},
    {{"Mish", "lookup", quantised}, mish},
    {{"Erf", "lookup", quantised}, erf},
    {{"Exp", "lookup", quantised}, exp_of},
    {{"Abs", "lookup", quantised}, abs_of},
    {{"Neg", "lookup", quantised}, neg},
    {{"Mul", "thresholds, lookup", links}, mul},
    {{"Sub", "thresholds, lookup", links}, sub},
    {{"Div", "thresholds, lookup", links}, div},
    {{"com.microsoft.QLinearMul", "conv, thresholds, lookup",
      "of a map by constants, one for each channel or for all"},
     q_linear_mul},
    {{"com.microsoft.QLinearAveragePool", "conv, global_average, average_pool",
      "as AveragePool; channels_last 0"},
     q_linear_average_pool},
    {{"com.microsoft.QLinearSigmoid", "lookup", ""}, q_linear_sigmoid},
    {{"com.microsoft.QLinearLeakyRelu", "lookup", ""}, q_linear_leaky_relu},
    {{"Pad", "padding of what is behind it, conv", "rows and columns, with 0"}, pad},
    {{"Identity", same, ""}, identity},
    {{"Dropout", same, "not in training mode"}, identity},
    {{"Cast", same, "float32 to float32; integers and constants to float32; integers of shapes"},
     cast},
    {{"Reshape", "reshape", "the images stay in front; up to 3 axes behind them"}, reshape},
    {{"Flatten", "reshape", "the images stay in front"}, flatten},
    {{"Squeeze", "reshape", "the images stay in front; axes named"}, squeeze},
    {{"Unsqueeze", "reshape", "the images stay in front; up to 3 axes behind them"}, unsqueeze},
    {{"Transpose", "transpose", "the images stay in front"}, transpose},
    {{"Constant", "constant", "tensors and numbers"}, constant},
    {{"Shape", "constant", ""}, shape},
    {{"Gather", "constant", "of a list of integers"}, gather},
    {{"Softmax", "left to the host", host}, left_to_host},
    {{"LogSoftmax", "left to the host", host}, left_to_host},
    {{"com.microsoft.QLinearSoftmax", "left to the host", host}, left_to_host},
});

}  // namespace

const Row* row_of(std::string_view op) {
  const auto found = std::ranges::find(rows, op, [](const Row& r) { return r.what.op; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<Supported> supported() {
  std::vector<Supported> all;
  for (const Row& row : rows) all.push_back(row.what);
  return all;
}

}  // namespace kumiki::gen::onnx
