// SPDX-License-Identifier: Apache-2.0
// Convolutions and products with a constant matrix: sums of products.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/onnx/operators/operators.h"
#include "gen/onnx/operators/window.h"
#include "gen/operators/conv/onnx.h"

namespace kumiki::gen::onnx {
namespace {

std::int64_t product(const Dims& dims) {
  std::int64_t all = 1;
  for (const auto d : dims) all *= d;
  return all;
}

// Integer constants whose scale and zero point are inputs of their own.
Quantised given_weights(Call& call, std::size_t i, std::size_t scale, std::size_t zero, int axis) {
  Quantised w;
  w.axis = axis;
  const Array& array = call.constant(i);
  if (array.type == Type::s64) throw Stop{"has weights of int64; they must have at most 8 bits"};
  const auto along = static_cast<std::size_t>(array.dims.at(static_cast<std::size_t>(axis)));
  std::vector<std::int64_t> zeros{0};
  if (scale > 0) {
    if (!is_float(call.constant(scale).type))
      throw Stop{fmt::format("has {} of {}; it must be float32", call.from(scale),
                             to_string(call.constant(scale).type))};
    w.scales = call.constant(scale).floats();
    require_scales(w.scales, call.from(scale));
  } else {
    w.scales = {1};
  }
  if (call.has(zero)) {
    zeros = call.constant_integers(zero);
    require_alike(call.constant(zero).type, array.type, "weights");
  }
  for (const std::int64_t z : zeros)
    if (z < -128 || z > 255)
      throw Stop{
          fmt::format("has the zero point {} in {}; it must fit 8 bits", z, call.from(zero))};
  if ((w.scales.size() != 1 && w.scales.size() != along) ||
      (zeros.size() != 1 && zeros.size() != along))
    throw Stop{fmt::format("has {} scales and {} zero points of its weights; it must have 1 or {}",
                           w.scales.size(), zeros.size(), along)};
  std::size_t stride = 1;
  for (std::size_t d = static_cast<std::size_t>(axis) + 1; d < array.dims.size(); ++d)
    stride *= static_cast<std::size_t>(array.dims[d]);
  const auto numbers = call.constant_integers(i);
  std::vector<std::int32_t> less;
  for (std::size_t n = 0; n < numbers.size(); ++n)
    less.push_back(
        static_cast<std::int32_t>(numbers[n] - zeros[zeros.size() == 1 ? 0 : n / stride % along]));
  w.numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(less));
  return w;
}

}  // namespace

std::vector<std::int16_t> narrow_weights(const std::vector<std::int32_t>& numbers) {
  std::vector<std::int16_t> all;
  for (const std::int32_t n : numbers) {
    if (n < -255 || n > 255) throw Stop{fmt::format("has the weight {}; it must fit 8 bits", n)};
    all.push_back(static_cast<std::int16_t>(n));
  }
  return all;
}

namespace {

// The bias must be one number for each output and the same for every image.
void require_bias(const Dims& dims, std::size_t given, std::size_t outs) {
  const auto all = static_cast<std::int64_t>(outs);
  if (given != outs || product(dims) != all)
    throw Stop{fmt::format("has {} numbers of bias; it must have {}", given, outs)};
  if (!dims.empty() && dims.back() != all)
    throw Stop{fmt::format("has a bias of {}; it must have one number for each of {} outputs",
                           to_string(dims), outs)};
}

}  // namespace

void take_bias(Call& call, std::size_t i, SumOf& sum, std::size_t outs, float input_scale) {
  sum.bias.assign(outs, 0);
  if (!call.has(i)) return;
  const Value& value = call.in(i);
  // A bias that is no multiple of the sums' scale is added as a real number.
  const auto* quantised = std::get_if<Quantised>(&value.is);
  if (quantised == nullptr || quantised->is_quant) {
    sum.offset = call.constant_reals(i);
    return require_bias(value.dims, sum.offset.size(), outs);
  }
  const Quantised& bias = *quantised;
  require_bias(value.dims, bias.numbers->size(), outs);
  for (std::size_t o = 0; o < outs; ++o) {
    const float given = bias.scales[bias.scales.size() == 1 ? 0 : o];
    const float wanted = input_scale * sum.scales[sum.scales.size() == 1 ? 0 : o];
    if (std::abs(given - wanted) > wanted * 1e-5F)
      throw Stop{
          fmt::format("has a bias with the scale {} in channel {}; it must be {}, input x weights",
                      given, o, wanted)};
    sum.bias[o] = (*bias.numbers)[o];
  }
}

namespace {

void give_bias(Call& call, std::size_t i, SumOf& sum, std::size_t outs) {
  sum.bias.assign(outs, 0);
  if (!call.has(i)) return;
  const auto numbers = call.constant_integers(i);
  if (call.constant(i).type != Type::s32)
    throw Stop{fmt::format("has a bias of {}; it must be int32", to_string(call.constant(i).type))};
  if (numbers.size() != outs)
    throw Stop{fmt::format("has {} numbers of bias; it must have {}", numbers.size(), outs)};
  for (std::size_t o = 0; o < outs; ++o) sum.bias[o] = static_cast<std::int32_t>(numbers[o]);
}

// The weights have one scale for each output, or one for all.
void take_scales(SumOf& sum, const Quantised& w, int axis, const char* which) {
  if (w.scales.size() > 1 && w.axis != axis)
    throw Stop{fmt::format("has scales along axis {} of its weights; it must be axis {}, {}",
                           w.axis, axis, which)};
  sum.scales = w.scales;
}

void require_outputs(const Dims& dims, std::int64_t outs) {
  if (outs < 1)
    throw Stop{fmt::format("has weights of {}; it must have at least one output", to_string(dims))};
}

Value convolved(Call& call, graph::TensorId in, const Value& input, const Quantised& w,
                const Dims& dims, SumOf sum) {
  if (input.dims.size() != 4 || dims.size() != 4)
    throw Stop{fmt::format("convolves {} with {}; it must be in 1 or 2 dimensions",
                           to_string(input.dims), to_string(dims))};
  require_outputs(dims, dims[0]);
  sum.in = in;
  sum.groups = static_cast<int>(std::clamp<std::int64_t>(call.integer("group", 1), 0, 1 << 20));
  if (sum.groups < 1 || dims[1] * sum.groups != input.dims[1] || dims[0] % sum.groups != 0)
    throw Stop{fmt::format(
        "has weights {} in {} groups for {} channels; there must be group x {} channels",
        to_string(dims), sum.groups, input.dims[1], dims[1])};
  const auto shape =
      call.integers("kernel_shape", std::vector<std::int64_t>(dims.begin() + 2, dims.end()));
  if (shape != std::vector<std::int64_t>(dims.begin() + 2, dims.end()))
    throw Stop{fmt::format("has the kernel_shape {} and weights {}; both must have the same kernel",
                           to_string(shape), to_string(dims))};
  Dims made{1, dims[0], 0, 0};
  sum.window = window_of(call, shape, input, made);
  sum.weights = narrow_weights(*w.numbers);
  sum.is_float = w.is_float;
  return {made, Pending{.what = std::move(sum), .made = made, .node = call.label}};
}

// A vector, or every vector along the last axis, times a matrix of [terms][outs], or of
// [outs][terms] if `turned`.
SumOf dense(graph::TensorId in, const Dims& input, const Quantised& w, const Dims& dims,
            bool turned, Dims& made) {
  if (input.size() < 2 || dims.size() != 2 || dims[turned ? 1 : 0] != input.back())
    throw Stop{
        fmt::format("multiplies {} with {}; it must be vectors along the last axis and a matrix "
                    "that fits, and Flatten makes vectors",
                    to_string(input), to_string(dims))};
  require_outputs(dims, dims[turned ? 0 : 1]);
  SumOf sum{.in = in, .dense = true};
  const auto terms = static_cast<std::size_t>(input.back());
  const auto outs = static_cast<std::size_t>(dims[turned ? 0 : 1]);
  take_scales(sum, w, turned ? 0 : 1, "that of the outputs");
  std::vector<std::int32_t> numbers(terms * outs);
  for (std::size_t o = 0; o < outs; ++o)
    for (std::size_t t = 0; t < terms; ++t)
      numbers[o * terms + t] = (*w.numbers)[turned ? o * terms + t : t * outs + o];
  sum.weights = narrow_weights(numbers);
  sum.is_float = w.is_float;
  made = input;
  made.back() = static_cast<std::int64_t>(outs);
  return sum;
}

// Multiplies the products by alpha. A negative alpha changes the sign of the weights, and of the
// bias if alpha multiplies it too.
void take_alpha(Call& call, SumOf& sum, bool with_bias) {
  const float alpha = call.real("alpha", 1);
  if (alpha == 0 || !std::isfinite(alpha))
    throw Stop{fmt::format("has alpha = {}; it must be a finite number other than 0", alpha)};
  sum.factor = std::abs(alpha);
  if (alpha > 0) return;
  for (auto& w : sum.weights) w = static_cast<std::int16_t>(-w);
  if (!with_bias) return;
  for (auto& b : sum.bias) {
    if (b == INT32_MIN) throw Stop{"has a bias of -2147483648 and alpha below 0"};
    b = -b;
  }
}

void require_plain(Call& call) {
  if (call.integer("transA", 0) != 0) throw Stop{"has transA = 1; it must be 0"};
  if (const Dims& dims = call.any(0).dims; dims.size() != 2)
    throw Stop{fmt::format("multiplies {}; it must have two axes", to_string(dims))};
}

// Integers whose scale and zero point are the next two inputs.
graph::TensorId given_numbers(Call& call, const Value& value, std::size_t i) {
  return call.integers(value, i, call.quantiser(i + 1));
}

void finish(Call& call, const Value& value, const Quantiser& q) {
  call.result({value.dims, Integers{call.walk.quantised(value, q, call.out())}});
}

// The result of `dense`. Vectors along the last axis are pixels of a map of one row.
Value as_value(Call& call, SumOf sum, const Dims& made) {
  if (made.size() == 2 && made[0] == 1)
    return {made, Pending{.what = std::move(sum), .made = made, .node = call.label}};
  const std::int64_t outs = made.back(), tokens = product(made) / outs;
  const auto terms = static_cast<std::int64_t>(sum.weights.size()) / outs;
  sum.dense = false;
  sum.in = call.walk.map_of_tokens(sum.in, terms, call.label + "/in");
  const Dims map{1, outs, 1, tokens};
  return call.walk.tokens_of_map(
      {map, Pending{.what = std::move(sum), .made = map, .node = call.label}}, made, call.label);
}

}  // namespace

static void conv(Call& call) {
  const Value& input = call.padded(0);
  const graph::TensorId in = call.numbers(input, 0);
  const Quantised w = call.weights(1);
  if (call.in(1).dims.size() != 4) throw Stop{"has weights of other than 1 or 2 dimensions"};
  SumOf sum;
  take_scales(sum, w, 0, "that of the outputs");
  take_bias(call, 2, sum, static_cast<std::size_t>(call.in(1).dims[0]), call.walk.tensor(in).scale);
  call.result(convolved(call, in, input, w, call.in(1).dims, std::move(sum)));
}

static void gemm(Call& call) {
  require_plain(call);
  const Value& input = call.any(0);
  const graph::TensorId in = call.numbers(input, 0);
  Dims made;
  SumOf sum =
      dense(in, input.dims, call.weights(1), call.in(1).dims, call.integer("transB", 0) != 0, made);
  const float alpha = call.real("alpha", 1), beta = call.real("beta", 1);
  const auto outs = static_cast<std::size_t>(made.back());
  if (beta == 1 || !call.has(2)) {
    take_bias(call, 2, sum, outs, call.walk.tensor(in).scale * std::abs(alpha));
    sum.is_float = sum.is_float || (alpha != 1 && call.has(2));
  } else {
    // onnxruntime computes it in float32 in this case.
    sum.bias.assign(outs, 0);
    sum.is_float = true;
    if (beta != 0) {
      sum.offset = call.channel_reals(2, made);
      if (sum.offset.size() == 1) sum.offset.assign(outs, sum.offset[0]);
    }
    for (float& b : sum.offset) b *= beta;
    for (const float b : sum.offset)
      if (!std::isfinite(b)) throw Stop{fmt::format("has beta = {}; it must be finite", beta)};
  }
  take_alpha(call, sum, false);
  call.result(as_value(call, std::move(sum), made));
}

static void mat_mul(Call& call) {
  if (!is_constant(call.any(1)) && !is_constant(call.any(0))) return product_of_results(call);
  const Value& input = call.any(0);
  const graph::TensorId in = call.numbers(input, 0);
  Dims made;
  SumOf sum = dense(in, input.dims, call.weights(1), call.in(1).dims, false, made);
  sum.bias.assign(static_cast<std::size_t>(made.back()), 0);
  call.result(as_value(call, std::move(sum), made));
}

static void q_linear_conv(Call& call) {
  const graph::TensorId in = given_numbers(call, call.padded(0), 0);
  const Array& array = call.constant(3);
  if (array.dims.size() != 4) throw Stop{"has weights of other than 1 or 2 dimensions"};
  const Quantised w = given_weights(call, 3, 4, 5, 0);
  SumOf sum;
  take_scales(sum, w, 0, "that of the outputs");
  give_bias(call, 8, sum, static_cast<std::size_t>(array.dims[0]));
  finish(call, convolved(call, in, call.padded(0), w, array.dims, std::move(sum)),
         call.quantiser(6));
}

static void q_linear_mat_mul(Call& call) {
  if (!is_constant(call.any(3)) && !is_constant(call.any(0))) return q_product_of_results(call);
  const Value& input = call.any(0);
  const graph::TensorId in = given_numbers(call, input, 0);
  const Array& array = call.constant(3);
  if (array.dims.size() != 2)
    throw Stop{fmt::format("multiplies with {}; it must be a matrix", to_string(array.dims))};
  Dims made;
  SumOf sum = dense(in, input.dims, given_weights(call, 3, 4, 5, 1), array.dims, false, made);
  sum.bias.assign(static_cast<std::size_t>(made.back()), 0);
  finish(call, as_value(call, std::move(sum), made), call.quantiser(6));
}

// Inputs: a, its scale and zero point; b, its scale and zero point; the bias; the result's scale
// and zero point.
static void q_gemm(Call& call) {
  require_plain(call);
  const Value& input = call.any(0);
  const graph::TensorId in = given_numbers(call, input, 0);
  const Array& array = call.constant(3);
  const bool turned = call.integer("transB", 0) != 0;
  if (array.dims.size() != 2)
    throw Stop{fmt::format("multiplies with {}; it must be a matrix", to_string(array.dims))};
  if (!call.has(7)) throw Stop{"gives float32 numbers; give it a scale of its result"};
  Dims made;
  SumOf sum =
      dense(in, input.dims, given_weights(call, 3, 4, 5, turned ? 0 : 1), array.dims, turned, made);
  give_bias(call, 6, sum, static_cast<std::size_t>(made.back()));
  take_alpha(call, sum, true);
  finish(call, as_value(call, std::move(sum), made), call.quantiser(7));
}

namespace {

// Integers minus a zero point, with scale 1: the result is the sum itself.
graph::TensorId plain_numbers(Call& call, std::size_t i, std::size_t zero) {
  Quantiser q{{8, false}, 0, 1};
  if (const auto* integers = std::get_if<Integers>(&call.in(i).is))
    q.format = call.walk.tensor(integers->id).format;
  if (call.has(zero)) {
    const auto zeros = call.constant_integers(zero);
    if (zeros.size() != 1)
      throw Stop{
          fmt::format("has {} zero points in {}; it must have one", zeros.size(), call.from(zero))};
    q.zero_point = static_cast<int>(zeros[0]);
  }
  return call.integers(i, q);
}

}  // namespace

static void conv_integer(Call& call) {
  const graph::TensorId in = plain_numbers(call, 0, 2);
  const Array& array = call.constant(1);
  if (array.dims.size() != 4) throw Stop{"has weights of other than 1 or 2 dimensions"};
  const Quantised w = given_weights(call, 1, 0, 3, 0);
  SumOf sum{.scales = {1}};
  sum.bias.assign(static_cast<std::size_t>(array.dims[0]), 0);
  call.result(call.walk.whole_sums(
      convolved(call, in, call.padded(0), w, array.dims, std::move(sum)), call.out()));
}

static void mat_mul_integer(Call& call) {
  const graph::TensorId in = plain_numbers(call, 0, 2);
  const Array& array = call.constant(1);
  if (array.dims.size() != 2)
    throw Stop{fmt::format("multiplies with {}; it must be a matrix", to_string(array.dims))};
  Dims made;
  SumOf sum = dense(in, call.in(0).dims, given_weights(call, 1, 0, 3, 1), array.dims, false, made);
  sum.bias.assign(static_cast<std::size_t>(made.back()), 0);
  call.result(call.walk.whole_sums(as_value(call, std::move(sum), made), call.out()));
}

namespace {

constexpr auto sums =
    "weights constant, up to 8 bits, with any zero points; scales per tensor or per channel; bias "
    "int32 with the scale input x weights, or real numbers, by thresholds";
constexpr auto on_last_axis =
    "weights as of Conv, a constant matrix; of vectors along the last axis; of two results";
constexpr auto gemm_limits =
    "as MatMul; any alpha but 0; beta other than 1 as a bias of real numbers; transB";

}  // namespace

std::vector<Row> forms(std::type_identity<graph::Conv>) {
  return {
      {{"Conv", "conv", sums}, on_maps<conv>},
      {{"Gemm", "conv", gemm_limits}, gemm},
      {{"MatMul", "conv, transpose, matmul", on_last_axis}, mat_mul},
      {{"QLinearConv", "conv", sums}, on_maps<q_linear_conv>},
      {{"QLinearMatMul", "conv, transpose, matmul", on_last_axis}, q_linear_mat_mul},
      {{"com.microsoft.QGemm", "conv", sums}, q_gemm},
      {{"ConvInteger", "conv", "sums within 24 bits and a sign"}, on_maps<conv_integer>},
      {{"MatMulInteger", "conv", "sums within 24 bits and a sign"}, mat_mul_integer},
  };
}

}  // namespace kumiki::gen::onnx
