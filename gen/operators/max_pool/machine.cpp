// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/max_pool/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/operators/max_pool/pool_step.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_positions = 1024;

std::int64_t clocks_of_steps(const PoolAxis& axis, std::int64_t beats) {
  std::int64_t clocks = 0;
  for (const PoolStep& step : axis.steps) clocks += pool_step_clocks(step.distance * beats);
  return std::max<std::int64_t>(clocks, 1);
}

}  // namespace

std::optional<std::string> MaxPoolPlan::why_not() const {
  if (stream.format.bits < 1 || stream.format.bits > 16)
    return fmt::format("its numbers have {} bits; they must have 1 to 16", stream.format.bits);
  for (const int axis : {0, 1}) {
    const auto i = static_cast<std::size_t>(axis);
    const PoolAxis a = axis == 0 ? lines() : columns();
    if (a.windows < 1) return "no window fits the map";
    if (a.is_blind || window.before[i] >= window.kernel[i] || window.after[i] >= window.kernel[i])
      return "a window sees nothing but padding";
    if (a.positions() > most_positions)
      return fmt::format("an axis has {} positions; it must have at most {}", a.positions(),
                         most_positions);
  }
  if (results().clocks > ResultsPlan::most_clocks)
    return fmt::format("its comparisons take {} clocks; they must take at most {}",
                       results().clocks, ResultsPlan::most_clocks);
  return std::nullopt;
}

ResultsPlan MaxPoolPlan::results() const {
  const PoolAxis across = columns(), down = lines();
  // One clock for the beat's register, then the steps.
  return {.clocks = 1 + clocks_of_steps(across, stream.blocks()) +
                    clocks_of_steps(down, across.windows * stream.blocks())};
}

Stream MaxPoolPlan::output() const {
  Stream out = stream;
  out.height = lines().windows;
  out.width = columns().windows;
  return out;
}

Walk MaxPoolPlan::schedule() const {
  const PoolAxis down = lines(), across = columns();
  return {.around = {.blocks = stream.blocks(), .lines = down.inside(), .columns = across.inside()},
          .lines = down.completes,
          .columns = across.completes,
          .results = results()};
}

std::string MaxPoolPlan::text() const {
  return fmt::format("the largest of {}x{} numbers, stride {}x{}: {}x{} of {}x{}", window.kernel[0],
                     window.kernel[1], window.stride[0], window.stride[1], lines().windows,
                     columns().windows, stream.height, stream.width);
}

std::string MaxPoolPlan::module_name() const {
  return fmt::format("max_pool{}x{}_{}x{}x{}_l{}", window.kernel[0], window.kernel[1],
                     stream.channels, stream.height, stream.width, stream.lanes);
}

Lanes beat(const MaxPoolPlan& p, std::int64_t k, const Taken& in) {
  const Stream& s = p.stream;
  const graph::Window& w = p.window;
  const std::int64_t pixel = k / s.blocks(), width = in.output().width;
  const std::int64_t top = pixel / width * w.stride[0] - w.before[0],
                     left = pixel % width * w.stride[1] - w.before[1];
  std::vector<std::int64_t> largest(static_cast<std::size_t>(s.lanes),
                                    static_cast<std::int64_t>(s.format.range().lo));
  for (std::int64_t r = top; r < top + w.reach(0); r += w.dilation[0])
    for (std::int64_t c = left; c < left + w.reach(1); c += w.dilation[1]) {
      if (r < 0 || r >= s.height || c < 0 || c >= s.width) continue;
      const auto numbers = in.at(0, (r * s.width + c) * s.blocks() + k % s.blocks());
      for (std::size_t lane = 0; lane < largest.size(); ++lane)
        largest[lane] = std::max(largest[lane], arith::value_of(numbers[lane], s.format));
    }
  Lanes all;
  for (const std::int64_t number : largest) all.push_back(arith::raw_of(number, s.format));
  return all;
}

}  // namespace kumiki::gen::pipeline
