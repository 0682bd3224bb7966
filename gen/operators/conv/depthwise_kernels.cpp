// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/depthwise_kernels.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/arith/interval.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_raster_positions = 1024;

// The positions along an axis, with the border that windows reach; true: inside the map.
std::vector<bool> positions_of(const graph::Window& w, std::size_t axis, std::int64_t length) {
  const std::int64_t before = w.before[axis];
  const std::int64_t windows = w.positions(static_cast<int>(axis), static_cast<int>(length));
  const std::int64_t reached = (windows - 1) * w.stride[axis] + w.reach(static_cast<int>(axis));
  std::vector<bool> all(static_cast<std::size_t>(std::max(before + length, reached)), false);
  std::fill_n(all.begin() + before, length, true);
  return all;
}

bool fits(const graph::Window& w, std::size_t axis, std::int64_t length) {
  return w.reach(static_cast<int>(axis)) <= length + w.before[axis] + w.after[axis];
}

}  // namespace

std::optional<std::string> DepthwiseKernels::why_not() const {
  if (stream.format.bits < 1 || stream.format.bits > 16)
    return fmt::format("its numbers have {} bits; they must have 1 to 16", stream.format.bits);
  if (!stream.format.range().contains(zero_point))
    return "its zero point is not one of its numbers";
  if (std::ssize(weights) != stream.channels * positions())
    return fmt::format("it has {} weights; it must have {}, for one output of each channel",
                       weights.size(), stream.channels * positions());
  if (!fits(window, 0, stream.height) || !fits(window, 1, stream.width))
    return "no window fits the map";
  const RasterPlan around = raster();
  const std::int64_t most = std::max(std::ssize(around.lines), std::ssize(around.columns));
  if (most > most_raster_positions)
    return fmt::format("an axis has {} positions; it must have at most {}", most,
                       most_raster_positions);
  return std::nullopt;
}

std::vector<std::int64_t> DepthwiseKernels::weights_at(std::int64_t position,
                                                       std::int64_t lane) const {
  std::vector<std::int64_t> all;
  for (std::int64_t channel = lane; channel < stream.blocks() * stream.lanes;
       channel += stream.lanes)
    all.push_back(channel < stream.channels
                      ? weights[static_cast<std::size_t>(channel * positions() + position)]
                      : 0);
  return all;
}

RasterPlan DepthwiseKernels::raster() const {
  return {.blocks = stream.blocks(),
          .lines = positions_of(window, 0, stream.height),
          .columns = positions_of(window, 1, stream.width)};
}

arith::Interval DepthwiseKernels::weight_range() const {
  const auto [lowest, highest] = std::ranges::minmax(weights);
  return {lowest, highest};
}

Stream DepthwiseKernels::output() const {
  Stream out = stream;
  out.height = window.positions(0, static_cast<int>(stream.height));
  out.width = window.positions(1, static_cast<int>(stream.width));
  arith::Interval sums{};
  for (auto w = weights.begin(); w != weights.end(); w += positions()) {
    std::int64_t positive = 0, negative = 0;
    for (auto at = w; at != w + positions(); ++at) (*at < 0 ? negative : positive) += *at;
    sums = arith::hull(sums, stream.format.range() * positive + stream.format.range() * negative);
  }
  out.format = numbers.value_or(arith::Format{arith::signed_bits(sums), true});
  return out;
}

std::string DepthwiseKernels::size() const {
  return fmt::format("{} kernels of {}x{}, stride {}x{}", stream.channels, window.kernel[0],
                     window.kernel[1], window.stride[0], window.stride[1]);
}

Lanes beat(const DepthwiseKernels& p, std::int64_t k, const Taken& in) {
  const Stream& s = p.stream;
  const graph::Window& w = p.window;
  const Stream& out = in.output();
  const std::int64_t block = k % s.blocks(), pixel = k / s.blocks();
  const std::int64_t top = pixel / out.width * w.stride[0] - w.before[0],
                     left = pixel % out.width * w.stride[1] - w.before[1];
  const std::int64_t first = block * s.lanes, channels = std::min(s.lanes, s.channels - first);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(s.lanes), 0);
  for (std::int64_t position = 0; position < p.positions(); ++position) {
    const std::int64_t r = top + position / w.kernel[1] * w.dilation[0],
                       c = left + position % w.kernel[1] * w.dilation[1];
    const bool is_outside = r < 0 || r >= s.height || c < 0 || c >= s.width;
    std::span<const std::uint64_t> numbers;
    if (!is_outside) numbers = in.at(0, (r * s.width + c) * s.blocks() + block);
    for (std::int64_t lane = 0; lane < channels; ++lane) {
      const auto i = static_cast<std::size_t>(lane);
      sums[i] += (is_outside ? p.zero_point : arith::value_of(numbers[i], s.format)) *
                 p.weights[static_cast<std::size_t>((first + lane) * p.positions() + position)];
    }
  }
  Lanes all;
  for (const std::int64_t sum : sums) all.push_back(arith::raw_of(sum, out.format));
  return all;
}

}  // namespace kumiki::gen::pipeline
