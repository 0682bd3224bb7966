// SPDX-License-Identifier: Apache-2.0
// ConvTranspose of integers is a convolution. With a stride of s, the results at places of equal
// remainder by s are sums of their own over neighbouring numbers: the convolution has s * s
// channels for each one, which then become pixels. onnxruntime adds in float32. If that may give
// other results, or the weights are no integers, the node is a graph::ConvTranspose.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"
#include "gen/operators/conv/onnx.h"

namespace kumiki::gen::onnx {
namespace {

// One axis. `taps`: of the convolution; it begins at the place `start` of the map with borders of
// the kernel, and result place 0 is its place `first`.
struct SpreadAxis {
  std::int64_t kernel, stride, made, taps, start, before, after, first;
};

SpreadAxis spread_axis(std::int64_t length, std::int64_t kernel, std::int64_t stride,
                       std::int64_t before, std::int64_t after, std::int64_t more) {
  SpreadAxis a{.kernel = kernel,
               .stride = stride,
               .made = 0,
               .taps = (kernel + stride - 1) / stride,
               .start = 0,
               .before = 0,
               .after = 0,
               .first = 0};
  a.made = stride * (length - 1) + kernel + more - before - after;
  if (a.made < 1) throw Stop{fmt::format("makes an axis of {} places; use less padding", a.made)};
  const std::int64_t last = (before + a.made - 1) / stride;
  a.start = std::min(before / stride, a.taps - 1);
  a.before = a.taps - 1 - a.start;
  a.after = std::max<std::int64_t>(0, last - (length - 1));
  a.first = before - stride * a.start;
  return a;
}

std::int64_t largest(const std::vector<std::int64_t>& values) {
  return *std::ranges::max_element(values);
}

}  // namespace

namespace {

// The numbers of reals, which become what the numbers stand for.
std::vector<std::int32_t> numbers_for(std::vector<float>& reals, const Quantiser& q) {
  std::vector<std::int32_t> numbers;
  for (float& x : reals) {
    numbers.push_back(quantise(x, q));
    x = dequantise(numbers.back(), q);
  }
  return numbers;
}

// onnxruntime quantises float32 weights between a dequantiser and a quantiser itself, to int8 with
// one scale for all.
Quantised quantised_weights(std::vector<float>& reals) {
  float low = 0, high = 0;
  for (const float x : reals) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  Quantiser q{{8, true}, 0, low == high ? 1 : (high - low) / 255};
  q.zero_point =
      static_cast<int>(std::nearbyint(std::clamp(-128 - low / q.scale, -128.0F, 127.0F)));
  auto numbers = numbers_for(reals, q);
  for (std::int32_t& n : numbers) n -= q.zero_point;
  return {.numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(numbers)),
          .scales = {q.scale},
          .axis = 1};
}

}  // namespace

static void conv_transpose(Call& call) {
  const Value& value = call.in(0);
  const graph::TensorId in = call.numbers(0);
  const Dims& dims = call.in(1).dims;
  if (value.dims.size() != 4 || dims.size() != 4 || dims[0] != value.dims[1])
    throw Stop{
        fmt::format("convolves {} with {}; it must be in 1 or 2 dimensions, with weights for "
                    "each channel",
                    to_string(value.dims), to_string(dims))};
  const auto groups = call.integer("group", 1);
  if (groups < 1 || dims[0] % groups != 0)
    throw Stop{fmt::format("has {} groups for {} channels", groups, dims[0])};
  const auto of_group = dims[1], outs = of_group * groups, inputs = dims[0] / groups;
  const Dims kernel{dims[2], dims[3]};
  if (call.integers("kernel_shape", kernel) != kernel)
    throw Stop{
        fmt::format("has a kernel_shape other than that of its weights, {}", to_string(kernel))};
  if (call.integers("dilations", {1, 1}) != Dims{1, 1}) throw Stop{"has dilations; they must be 1"};
  if (const auto mode = call.text("auto_pad", "NOTSET"); mode != "NOTSET" && mode != "VALID")
    throw Stop{fmt::format("has auto_pad = {}; use pads", mode)};
  if (call.attribute("output_shape") != nullptr)
    throw Stop{"has an output_shape; use pads and output_padding"};
  const auto strides = call.integers("strides", {1, 1}), pads = call.integers("pads", {0, 0, 0, 0}),
             more = call.integers("output_padding", {0, 0});
  const auto within = [](const std::vector<std::int64_t>& list, std::size_t size,
                         std::int64_t low) {
    return list.size() == size &&
           std::ranges::all_of(list, [&](auto v) { return v >= low && v <= 1 << 12; });
  };
  if (!within(strides, 2, 1) || !within(pads, 4, 0) || !within(more, 2, 0) ||
      more[0] >= strides[0] || more[1] >= strides[1] || outs < 1 || largest(kernel) > 1 << 12 ||
      outs * strides[0] * strides[1] > 1 << 20)
    throw Stop{
        "has strides, pads or output_padding that are not possible; strides must be 1 to 4096, "
        "pads 0 to 4096, and output_padding smaller than the strides"};
  const SpreadAxis rows =
      spread_axis(value.dims[2], kernel[0], strides[0], pads[0], pads[2], more[0]);
  const SpreadAxis columns =
      spread_axis(value.dims[3], kernel[1], strides[1], pads[1], pads[3], more[1]);
  const auto phases = rows.stride * columns.stride;
  const Dims result{1, outs, rows.made, columns.made};

  const auto given = call.integer_weights(1);
  std::vector<float> weights = call.constant_reals(1), bias(static_cast<std::size_t>(outs));
  if (call.has(2)) bias = call.constant_reals(2);
  const Quantised w = given ? *given : quantised_weights(weights);
  if (w.scales.size() > 1 && (w.axis != 1 || groups > 1))
    throw Stop{
        fmt::format("has scales along axis {} of its weights in {} groups; it must be axis 1, "
                    "in one group",
                    w.axis, groups)};
  SumOf sum{.in = in, .groups = static_cast<int>(groups), .scales = w.scales, .is_float = true};
  take_bias(call, 2, sum, static_cast<std::size_t>(outs), call.walk.tensor(in).scale);
  if (!given) {
    sum.needs_quantiser = true;
    sum.offset.clear();
    const float unit = call.walk.tensor(in).scale * w.scales[0];
    if (call.has(2)) sum.bias = numbers_for(bias, {{32, true}, 0, unit});
  }
  // onnxruntime multiplies a single column in another order.
  if (value.dims[2] * value.dims[3] > 1)
    sum.in_float32 = std::make_shared<const graph::ConvTranspose>(graph::ConvTranspose{
        .window = {.kernel = {static_cast<int>(kernel[0]), static_cast<int>(kernel[1])},
                   .stride = {static_cast<int>(strides[0]), static_cast<int>(strides[1])},
                   .before = {static_cast<int>(pads[0]), static_cast<int>(pads[1])}},
        .groups = static_cast<int>(groups),
        .weights = std::move(weights),
        .bias = std::move(bias)});
  // A channel for every remainder of rows and columns.
  const auto spread = [&](auto& of_outputs) {
    if (of_outputs.size() <= 1) return;
    auto all = of_outputs;
    all.clear();
    for (const auto& one : of_outputs) all.insert(all.end(), static_cast<std::size_t>(phases), one);
    of_outputs = std::move(all);
  };
  if (outs == 1 && phases > 1) {
    sum.bias.assign(static_cast<std::size_t>(phases), sum.bias.at(0));
    if (!sum.offset.empty()) sum.offset.assign(static_cast<std::size_t>(phases), sum.offset[0]);
  } else {
    spread(sum.bias);
    spread(sum.offset);
    spread(sum.scales);
  }
  const auto weight = [&](std::int64_t out, std::int64_t input, std::int64_t row,
                          std::int64_t column) -> std::int32_t {
    if (row >= rows.kernel || column >= columns.kernel) return 0;
    const auto channel = out / of_group * inputs + input;
    const auto place =
        ((channel * of_group + out % of_group) * rows.kernel + row) * columns.kernel + column;
    return (*w.numbers)[static_cast<std::size_t>(place)];
  };
  std::vector<std::int32_t> numbers;
  for (std::int64_t out = 0; out < outs; ++out)
    for (std::int64_t row = 0; row < rows.stride; ++row)
      for (std::int64_t column = 0; column < columns.stride; ++column)
        for (std::int64_t input = 0; input < inputs; ++input)
          for (std::int64_t down = rows.taps; down-- > 0;)
            for (std::int64_t right = columns.taps; right-- > 0;)
              numbers.push_back(
                  weight(out, input, row + rows.stride * down, column + columns.stride * right));
  sum.weights = narrow_weights(numbers);
  sum.window = {.kernel = {static_cast<int>(rows.taps), static_cast<int>(columns.taps)},
                .before = {static_cast<int>(rows.before), static_cast<int>(columns.before)},
                .after = {static_cast<int>(rows.after), static_cast<int>(columns.after)}};
  const Dims made{1, outs * phases, value.dims[2] + rows.before + rows.after - rows.taps + 1,
                  value.dims[3] + columns.before + columns.after - columns.taps + 1};
  if (made[2] < 1 || made[3] < 1)
    throw Stop{fmt::format("convolves {} with a kernel of {}, which is larger",
                           to_string(value.dims), to_string(kernel))};
  Spread pixels{.order = {.order = {0, 3, 1, 4, 2}},
                .pixels = {1, outs, made[2] * rows.stride, made[3] * columns.stride},
                .picks = {}};
  for (const std::int64_t axis : {outs, rows.stride, columns.stride, made[2], made[3]})
    pixels.order.view.push_back(static_cast<int>(axis));
  const std::int64_t first[] = {0, 0, rows.first, columns.first};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    pixels.picks.emplace_back(static_cast<std::size_t>(result[axis]));
    std::iota(pixels.picks.back().begin(), pixels.picks.back().end(), first[axis]);
  }
  call.result(
      {result,
       Pending{
           .what = std::move(sum), .made = made, .node = call.label, .spread = std::move(pixels)}});
}

std::vector<Row> forms(std::type_identity<graph::ConvTranspose>) {
  return {
      {{"ConvTranspose", "conv, transpose, pick, conv_transpose",
        "as Conv; float32 weights before a quantiser; dilations 1"},
       on_maps<conv_transpose>},
  };
}

}  // namespace kumiki::gen::onnx
