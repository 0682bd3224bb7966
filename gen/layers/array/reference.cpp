// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/reference.h"

#include <algorithm>

namespace kumiki::gen::array {
namespace {

std::vector<std::int64_t> accumulate(const LayerJob& job, const FcShape& s, const Tensor& input) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(s.outputs * s.batch));
  for (std::int64_t o = 0; o < s.outputs; ++o)
    for (std::int64_t i = 0; i < s.inputs; ++i) {
      const std::int64_t weight = job.weights[o * s.inputs + i];
      for (std::int64_t b = 0; b < s.batch; ++b)
        sums[static_cast<std::size_t>(o * s.batch + b)] += weight * input.at(i * s.batch + b);
    }
  return sums;
}

// Adds one tap's products to all outputs of a channel.
void add_tap(const ConvShape& s, std::int64_t weight, std::int64_t row, std::int64_t column,
             const std::int32_t* map, std::int64_t* sums) {
  const std::int64_t width = s.out_width();
  const std::int64_t left = column * s.dilation - s.left();
  // The outputs whose pixel for this tap lies inside the map.
  const std::int64_t from = left >= 0 ? 0 : (-left + s.stride - 1) / s.stride;
  const std::int64_t to = left >= s.width ? 0 : (s.width - 1 - left) / s.stride + 1;
  for (std::int64_t y = 0; y < s.out_height(); ++y) {
    const std::int64_t in_y = y * s.stride + row * s.dilation - s.above();
    if (in_y < 0 || in_y >= s.height) continue;
    const std::int64_t in = in_y * s.width + left;
    std::int64_t* out = sums + y * width;
    for (std::int64_t x = from; x < std::min(to, width); ++x)
      out[x] += weight * map[in + x * s.stride];
  }
}

std::vector<std::int64_t> accumulate(const LayerJob& job, const ConvShape& s, const Tensor& input) {
  const std::int64_t area = s.out_height() * s.out_width();
  std::vector<std::int64_t> sums(static_cast<std::size_t>(s.out_channels * area));
  std::int64_t weight = 0;
  for (std::int64_t o = 0; o < s.out_channels; ++o)
    for (std::int64_t i = 0; i < s.group_in(); ++i) {
      const std::int64_t channel = o / s.group_out() * s.group_in() + i;
      const std::int32_t* map = input.values.data() + channel * s.height * s.width;
      for (std::int64_t row = 0; row < s.kernel; ++row)
        for (std::int64_t column = 0; column < s.kernel; ++column)
          add_tap(s, job.weights[weight++], row, column, map, sums.data() + o * area);
    }
  return sums;
}

std::int64_t pooled(const Pool& pool, const std::int64_t* window, std::int64_t width) {
  std::int64_t result = *window;
  for (int y = 0; y < pool.size; ++y)
    for (int x = 0; x < pool.size; ++x) {
      const std::int64_t v = window[y * width + x];
      if (pool.kind == PoolKind::max)
        result = std::max(result, v);
      else if (y + x > 0)
        result += v;
    }
  return result;
}

}  // namespace

std::int64_t LayerJob::weight_count() const {
  if (shape.kind == Kind::fc) return shape.fc.inputs * shape.fc.outputs;
  return shape.conv.out_channels * shape.conv.group_in() * shape.conv.kernel * shape.conv.kernel;
}

MapShape LayerJob::in_shape() const {
  if (shape.kind == Kind::fc) return {shape.fc.inputs, 1, shape.fc.batch};
  return {shape.conv.in_channels, shape.conv.height, shape.conv.width};
}

MapShape LayerJob::sum_shape() const {
  if (shape.kind == Kind::fc) return {shape.fc.outputs, 1, shape.fc.batch};
  return {shape.conv.out_channels, shape.conv.out_height(), shape.conv.out_width()};
}

MapShape LayerJob::made_shape() const {
  MapShape s = sum_shape();
  if (pool.kind == PoolKind::none) return s;
  auto side = [&](std::int64_t n) { return n < pool.size ? 0 : (n - pool.size) / 2 + 1; };
  return {s.channels, side(s.height), side(s.width)};
}

MapShape LayerJob::out_shape() const {
  const MapShape s = made_shape();
  return {s.channels, ceil_div(s.height, kept[0]), ceil_div(s.width, kept[1])};
}

std::optional<std::int64_t> LayerJob::kept_at(std::int64_t index) const {
  if (keeps_all()) return index;
  const MapShape made = made_shape(), out = out_shape();
  const std::int64_t column = index % made.width, row = index / made.width % made.height;
  if (row % kept[0] != 0 || column % kept[1] != 0) return std::nullopt;
  const std::int64_t channel = index / (made.height * made.width);
  return (channel * out.height + row / kept[0]) * out.width + column / kept[1];
}

std::vector<std::int64_t> accumulate(const LayerJob& job, const Tensor& input) {
  return job.shape.kind == Kind::fc ? accumulate(job, job.shape.fc, input)
                                    : accumulate(job, job.shape.conv, input);
}

std::int32_t requantise(std::int64_t value, std::int64_t bias, std::uint32_t multiplier, int shift,
                        bool relu, const Arithmetic& a) {
  const std::int64_t biased = wrapped(value + bias, a.sum_bits);
  const std::int64_t scaled = a.multiplies ? biased * std::int64_t{multiplier} : biased;
  const std::int64_t rounded = ((scaled >> (shift - 1)) + 1) >> 1;
  const std::int64_t most = (std::int64_t{1} << (a.data_bits - 1)) - 1;
  return static_cast<std::int32_t>(std::clamp(rounded, relu ? 0 : -most - 1, most));
}

arith::FloatRule LayerJob::rule_of(std::int64_t channel, int data_bits) const {
  arith::FloatRule rule{.scale = scales.size() == 1 ? scales[0] : entry(scales, channel, 1),
                        .zero_point = zero_point,
                        .range = arith::signed_range(data_bits)};
  if (clamp) rule.range = {(*clamp)[0], (*clamp)[1]};
  if (relu) rule.range.lo = std::max<arith::Exact>(rule.range.lo, zero_point);
  return rule;
}

std::vector<std::int64_t> offsets(const LayerJob& job) {
  if (job.input_zero_point == 0) return job.bias;
  std::vector<std::int64_t> all;
  const std::int64_t count = job.weight_count() / job.outputs();
  std::int64_t weight = 0;
  for (std::int64_t channel = 0; channel < job.outputs(); ++channel) {
    std::int64_t sum = 0;
    for (const std::int64_t end = weight + count; weight < end; ++weight)
      sum += job.weights[weight];
    all.push_back(job.bias_of(channel) - job.input_zero_point * sum);
  }
  return all;
}

Tensor reference(const LayerJob& job, const Tensor& input, const Arithmetic& a) {
  Tensor inputs = input;
  for (std::int32_t& x : inputs.values) x -= static_cast<std::int32_t>(job.input_zero_point);
  const std::vector<std::int64_t> sums = accumulate(job, inputs);
  const MapShape before = job.sum_shape();
  const auto result = [&](std::int64_t sum, std::int64_t c) {
    if (a.float32)
      return static_cast<std::int32_t>(
          arith::requantised(job.rule_of(c, a.data_bits),
                             static_cast<std::int32_t>(wrapped(sum + job.bias_of(c), a.sum_bits))));
    return requantise(sum, job.bias_of(c), job.multiplier_of(c), job.shift_of(c), job.relu, a);
  };
  Tensor out(job.out_shape());
  std::int64_t i = 0;
  for (std::int64_t c = 0; c < out.shape.channels; ++c)
    for (std::int64_t y = 0; y < out.shape.height; ++y)
      for (std::int64_t x = 0; x < out.shape.width; ++x, ++i) {
        std::int64_t sum = 0;
        if (job.pool.kind == PoolKind::none)
          sum = sums[static_cast<std::size_t>((c * before.height + y * job.kept[0]) * before.width +
                                              x * job.kept[1])];
        else
          sum = pooled(job.pool, sums.data() + (c * before.height + 2 * y) * before.width + 2 * x,
                       before.width);
        out.at(i) = result(sum, c);
      }
  return out;
}

Bounds bounds(const LayerJob& job, std::int64_t channel, int data_bits, int slots) {
  const std::int64_t low = -(std::int64_t{1} << (data_bits - 1)), high = -low - 1;
  const std::int64_t count = job.weight_count() / job.outputs();
  Bounds worst;
  for (int slot = 0; slot < slots; ++slot) {
    std::int64_t positive = 0, negative = 0;
    for (std::int64_t i = slot; i < count; i += slots) {
      const std::int64_t w = job.weights[channel * count + i];
      (w > 0 ? positive : negative) += w;
    }
    worst.least = std::min(worst.least, positive * low + negative * high);
    worst.most = std::max(worst.most, positive * high + negative * low);
  }
  return worst;
}

Tensor random_tensor(const MapShape& shape, std::uint64_t seed, int bits) {
  Tensor t(shape);
  for (std::int64_t i = 0; i < shape.size(); ++i)
    t.at(i) = random_number(seed, static_cast<std::uint64_t>(i), bits);
  return t;
}

}  // namespace kumiki::gen::array
