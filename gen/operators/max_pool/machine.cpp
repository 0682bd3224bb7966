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

std::int64_t windows_before(const PoolAxis& axis, std::int64_t position) {
  return std::count(axis.completes.begin(), axis.completes.begin() + position, true);
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

std::int64_t MaxPoolPlan::interval() const {
  return lines().positions() * columns().positions() * stream.blocks();
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

MaxPoolModel::MaxPoolModel(const MaxPoolPlan& plan)
    : plan_(plan),
      lines_(plan.lines()),
      columns_(plan.columns()),
      results_(plan.results(), plan.stream.lanes) {}

void MaxPoolModel::reset() {
  results_.reset();
  frame_.clear();
  line_ = column_ = block_ = 0;
}

bool MaxPoolModel::takes() const { return line_ < lines_.length && column_ < columns_.length; }

MachineOut<Values> MaxPoolModel::shown() const {
  return {.in_ready = {results_.room() && takes()},
          .out_valid = results_.valid(),
          .out_data = results_.front()};
}

std::optional<MaxPoolModel::Beat> MaxPoolModel::found() const {
  const bool completes = lines_.completes[static_cast<std::size_t>(line_)] &&
                         columns_.completes[static_cast<std::size_t>(column_)];
  if (!completes) return std::nullopt;
  const graph::Window& w = plan_.window;
  const arith::Format& format = plan_.stream.format;
  const std::int64_t top = windows_before(lines_, line_) * w.stride[0] - w.before[0];
  const std::int64_t left = windows_before(columns_, column_) * w.stride[1] - w.before[1];
  Beat most(static_cast<std::size_t>(plan_.stream.lanes));
  for (std::size_t lane = 0; lane < most.size(); ++lane) {
    std::optional<std::int64_t> largest;
    for (std::int64_t kr = 0; kr < w.kernel[0]; ++kr)
      for (std::int64_t kc = 0; kc < w.kernel[1]; ++kc) {
        const std::int64_t r = top + kr * w.dilation[0], c = left + kc * w.dilation[1];
        if (r < 0 || r >= lines_.length || c < 0 || c >= columns_.length) continue;
        const std::int64_t beat = (r * columns_.length + c) * plan_.stream.blocks() + block_;
        const std::int64_t number =
            arith::value_of(frame_[static_cast<std::size_t>(beat)][lane], format);
        largest = std::max(largest.value_or(number), number);
      }
    most[lane] = arith::raw_of(largest.value(), format);
  }
  return most;
}

void MaxPoolModel::move_on() {
  if (++block_ < plan_.stream.blocks()) return;
  block_ = 0;
  if (++column_ < columns_.positions()) return;
  column_ = 0;
  if (++line_ < lines_.positions()) return;
  line_ = 0;
  frame_.clear();
}

void MaxPoolModel::clock(const MachineIn<Values>& in) {
  if (in.rst) return reset();
  std::optional<Beat> begins;
  if (results_.room() && (!takes() || in.in_valid[0])) {
    if (takes()) frame_.push_back(in.in_data);
    begins = found();
    move_on();
  }
  results_.clock(std::move(begins), in.out_ready);
}

}  // namespace kumiki::gen::pipeline
