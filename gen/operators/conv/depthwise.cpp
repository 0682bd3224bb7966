// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/depthwise.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "gen/arith/interval.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_raster_positions = 1024;
constexpr std::int64_t words_of_a_lut = 32;
constexpr std::int64_t most_ring = std::int64_t{1} << 16;  // words: limited by the carry chain of
                                                           // an address

// How many positions the loader may be ahead of the room it reports, while slices still read.
std::int64_t late_positions(const DepthwisePlan& p) {
  return 4 + (p.parallel + p.stream.blocks() - 1) / p.stream.blocks();
}

// The positions along an axis, with the border that windows reach; true: inside the map.
std::vector<bool> positions_of(const graph::Window& w, std::size_t axis, std::int64_t length) {
  const std::int64_t before = w.before[axis];
  const std::int64_t windows = w.positions(static_cast<int>(axis), static_cast<int>(length));
  const std::int64_t reached = (windows - 1) * w.stride[axis] + w.reach(static_cast<int>(axis));
  std::vector<bool> all(static_cast<std::size_t>(std::max(before + length, reached)), false);
  std::fill_n(all.begin() + before, length, true);
  return all;
}

// Positions up to the last one of the first window.
std::int64_t first_window(const DepthwisePlan& p) {
  return (p.window.reach(0) - 1) * std::ssize(p.raster().columns) + p.window.reach(1);
}

bool fits(const graph::Window& w, std::size_t axis, std::int64_t length) {
  return w.reach(static_cast<int>(axis)) <= length + w.before[axis] + w.after[axis];
}

}  // namespace

std::optional<std::string> DepthwisePlan::why_not() const {
  if (stream.format.bits < 1 || stream.format.bits > 16)
    return fmt::format("its numbers have {} bits; they must have 1 to 16", stream.format.bits);
  if (!stream.format.range().contains(zero_point))
    return "its zero point is not one of its numbers";
  if (std::ssize(weights) != stream.channels * positions())
    return fmt::format("it has {} weights; it must have {}, for one output of each channel",
                       weights.size(), stream.channels * positions());
  if (parallel != 1 && parallel != window.kernel[0] && parallel != window.kernel[1] &&
      parallel != positions())
    return fmt::format("a lane has {} slices; it must have 1, {}, {} or {}", parallel,
                       window.kernel[0], window.kernel[1], positions());
  if (results().clocks > ResultsPlan::most_clocks)
    return fmt::format("a lane has {} slices; it must have at most {}", parallel,
                       parallel + ResultsPlan::most_clocks - results().clocks);
  if (!fits(window, 0, stream.height) || !fits(window, 1, stream.width))
    return "no window fits the map";
  const RasterPlan around = raster();
  const std::int64_t most = std::max(std::ssize(around.lines), std::ssize(around.columns));
  if (most > most_raster_positions)
    return fmt::format("an axis has {} positions; it must have at most {}", most,
                       most_raster_positions);
  if (ring != 0 && (ring < least_ring() || !std::has_single_bit(static_cast<std::uint64_t>(ring))))
    return fmt::format("the memory has {} words; it must have at least {}, and a power of two",
                       ring, least_ring());
  if (words() > most_ring)
    return fmt::format("the memory has {} words; it must have at most {}", words(), most_ring);
  return std::nullopt;
}

DepthwiseSteps DepthwisePlan::steps() const {
  const std::int64_t lines = window.kernel[0], columns = window.kernel[1];
  DepthwiseSteps all;
  const bool both = parallel == positions();
  const bool has_lines = both || (parallel != 1 && parallel == lines);
  const bool has_columns = both || (parallel != 1 && !has_lines);
  all.lines = has_lines ? 1 : lines;
  all.columns = has_columns ? 1 : columns;
  for (std::int64_t line = 0; line < (has_lines ? lines : 1); ++line)
    for (std::int64_t column = 0; column < (has_columns ? columns : 1); ++column)
      all.of_slices.push_back({line, column});
  return all;
}

RasterPlan DepthwisePlan::raster() const {
  return {.blocks = stream.blocks(),
          .lines = positions_of(window, 0, stream.height),
          .columns = positions_of(window, 1, stream.width)};
}

std::int64_t DepthwisePlan::least_ring() const {
  const std::int64_t least = (first_window(*this) + late_positions(*this)) * stream.blocks();
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(least, words_of_a_lut))));
}

Ring DepthwisePlan::schedule() const {
  const Stream out = output();
  Ring all{.around = raster(),
           .steps = steps().count(),
           .out_lines = out.height,
           .out_columns = out.width,
           .needed = first_window(*this),
           .next_column = window.stride[1],
           .room = words() / stream.blocks() - late_positions(*this),
           .results = results()};
  const std::int64_t line = std::ssize(all.around.columns),
                     back = (out.width - 1) * window.stride[1];
  all.next_line = window.stride[0] * line - back;
  all.next_frame =
      std::ssize(all.around.lines) * line - (out.height - 1) * window.stride[0] * line - back;
  return all;
}

arith::Interval DepthwisePlan::weight_range() const {
  const auto [lowest, highest] = std::ranges::minmax(weights);
  return {lowest, highest};
}

Stream DepthwisePlan::output() const {
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

std::string DepthwisePlan::text() const {
  return fmt::format("{} kernels of {}x{}, stride {}x{}, {} slices a lane, {} words of the map",
                     stream.channels, window.kernel[0], window.kernel[1], window.stride[0],
                     window.stride[1], parallel, words());
}

std::string DepthwisePlan::module_name() const {
  return fmt::format("depthwise{}x{}_{}x{}x{}_l{}", window.kernel[0], window.kernel[1],
                     stream.channels, stream.height, stream.width, stream.lanes);
}

DepthwisePlan with_ring(DepthwisePlan plan) {
  const std::int64_t least = plan.least_ring();
  if (least > most_ring) return plan;  // why_not() reports it
  plan.ring = std::min(4 * least, most_ring);
  const std::int64_t best = plan.schedule().interval();
  for (plan.ring = least; plan.ring < most_ring && 100 * plan.schedule().interval() > 101 * best;)
    plan.ring *= 2;
  return plan;
}

Lanes beat(const DepthwisePlan& p, std::int64_t k, const Taken& in) {
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
