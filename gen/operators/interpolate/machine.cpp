// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/interpolate/machine.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {
namespace {

constexpr int most_bits_of_an_axis = 7;
constexpr std::int64_t most_places = 1024, most_words = 1 << 16, most_words_in_luts = 64;

// Whether every place of the map is used, in its order.
bool goes_on(const BetweenAxis& axis, std::int64_t length) {
  for (std::size_t i = 0; i + 1 < axis.from.size(); ++i)
    if (axis.from[i + 1] != axis.from[i] && axis.from[i + 1] != axis.from[i] + 1) return false;
  return axis.from.front() == 0 && axis.from.back() == std::max<std::int64_t>(length - 2, 0);
}

}  // namespace

std::optional<BetweenAxis> BetweenAxis::of(const std::vector<std::int32_t>& from,
                                           const std::vector<float>& parts, std::int64_t length) {
  BetweenAxis axis{.from = from, .weights = {}};
  std::vector<float> next = parts;
  for (std::size_t i = 0; i < next.size(); ++i)
    if (from[i] == length - 1) {
      axis.from[i] = static_cast<std::int32_t>(std::max<std::int64_t>(length - 2, 0));
      next[i] = length > 1 ? 1 : 0;
    }
  const auto is_whole = [&](float part) {
    const float weight = std::ldexp(part, axis.bits);
    return weight == std::floor(weight);
  };
  while (!std::ranges::all_of(next, is_whole))
    if (++axis.bits > most_bits_of_an_axis) return std::nullopt;
  for (const float part : next)
    axis.weights.push_back(static_cast<std::int32_t>(std::ldexp(part, axis.bits)));
  return axis;
}

std::optional<std::string> InterpolatePlan::why_not() const {
  if (stream.format.bits < 1 || stream.format.bits > 16)
    return fmt::format("its numbers have {} bits; they must have 1 to 16", stream.format.bits);
  for (const auto& [axis, length] :
       {std::pair(&rows, stream.height), std::pair(&columns, stream.width)}) {
    if (axis->size() > most_places)
      return fmt::format("an axis has {} positions; it must have at most {}", axis->size(),
                         most_places);
    if (!goes_on(*axis, length))
      return "it skips numbers of the map; rows and columns must not become fewer";
  }
  if (const std::int64_t words = 2 * words_of_a_line(); words > most_words)
    return fmt::format("half of the numbers of two lines are {} words; they must be at most {}",
                       words, most_words);
  return std::nullopt;
}

std::int64_t InterpolatePlan::words_of_a_line() const {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>((stream.width + 1) / 2 * stream.blocks())));
}

bool InterpolatePlan::in_luts() const { return 2 * words_of_a_line() <= most_words_in_luts; }

Stream InterpolatePlan::output() const {
  Stream made = stream;
  made.height = rows.size();
  made.width = columns.size();
  return made;
}

Lines InterpolatePlan::schedule() const {
  Lines lines{.beats = stream.width * stream.blocks(),
              .gives = columns.size() * stream.blocks(),
              .results = {.clocks = clocks_of_a_memory() + rows.bits + columns.bits +
                                    (stream.width > 1 ? 5 : 3)},
              .room = 4,
              .readings = {}};
  for (std::size_t i = 0; i < rows.from.size(); ++i)
    lines.readings.push_back(
        {.needs = needs(),
         .frees = i + 1 < rows.from.size() ? rows.from[i + 1] - rows.from[i] : needs()});
  return lines;
}

std::string InterpolatePlan::text() const {
  return fmt::format("{}x{}x{} as {}x{}, {} bits of fraction {}", stream.channels, stream.height,
                     stream.width, rows.size(), columns.size(), fraction(),
                     truncates ? "cut off" : "rounded");
}

std::string InterpolatePlan::module_name() const {
  return fmt::format("interpolate_{}x{}x{}_{}x{}_l{}", stream.channels, stream.height, stream.width,
                     rows.size(), columns.size(), stream.lanes);
}

Lanes beat(const InterpolatePlan& p, std::int64_t k, const Taken& in) {
  const std::int64_t blocks = p.stream.blocks(), block = k % blocks, pixel = k / blocks;
  const auto row = static_cast<std::size_t>(pixel / p.columns.size()),
             column = static_cast<std::size_t>(pixel % p.columns.size());
  std::vector<std::int64_t> sums(static_cast<std::size_t>(p.stream.lanes), 0);
  const auto add = [&](std::int64_t line, std::int64_t place, std::int64_t weight) {
    if (weight == 0) return;
    const auto numbers = in.at(0, (line * p.stream.width + place) * blocks + block);
    for (std::size_t lane = 0; lane < sums.size(); ++lane)
      sums[lane] += weight * arith::value_of(numbers[lane], p.stream.format);
  };
  const std::int64_t below = p.rows.weights[row], after = p.columns.weights[column];
  for (const std::int64_t down : {0, 1})
    for (const std::int64_t right : {0, 1})
      add(p.rows.from[row] + down, p.columns.from[column] + right,
          (down == 1 ? below : (std::int64_t{1} << p.rows.bits) - below) *
              (right == 1 ? after : (std::int64_t{1} << p.columns.bits) - after));
  Lanes all;
  for (const std::int64_t sum : sums) {
    const double mean = std::ldexp(static_cast<double>(sum), -p.fraction()),
                 zero = static_cast<double>(p.zero_point);
    const double number = p.truncates ? std::trunc(mean) : std::nearbyint(mean - zero) + zero;
    all.push_back(arith::raw_of(static_cast<std::int64_t>(number), p.stream.format));
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
