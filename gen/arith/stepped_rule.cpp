// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/stepped_rule.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gen/arith/bounds.h"
#include "ir/error.h"

namespace kumiki::gen::arith {
namespace {

// 1 / scale, in accumulators a result: below 2^-8 every sum but 0 is clamped.
constexpr double least_stride = 0x1p-8, most_stride = 0x1p25;

// Sums that must pass a half-integer, and sums that must not.
struct Passing {
  struct At {
    double sum, half;
  };
  std::vector<At> above, below;
};

Passing passing(const Bounds& bounds, std::int64_t zero_point) {
  const auto halves = [&](const std::vector<Bounds::At>& all) {
    std::vector<Passing::At> some;
    for (const auto& [sum, result] : all)
      some.push_back({static_cast<double>(sum), static_cast<double>(result - zero_point) - 0.5});
    return some;
  };
  return {.above = halves(bounds.least), .below = halves(bounds.below)};
}

// For a stride: the real numbers that may be added to accumulators.
struct Addends {
  double low, high;
  double room() const { return high - low; }
  bool within(const Addends& other) const { return low >= other.low && high <= other.high; }
  // The middle; near 0 if there is more room than necessary.
  double chosen() const {
    const double margin = std::min(room() / 2, 4096.0);
    return std::max(low + margin, std::min(0.0, high - margin));
  }
};
Addends addends_of(const Passing& p, double stride, Addends all) {
  for (const auto& a : p.above) all.low = std::max(all.low, a.half * stride - a.sum);
  for (const auto& b : p.below) all.high = std::min(all.high, b.half * stride - b.sum);
  return all;
}

// The room is concave and piecewise linear in the stride.
Addends widest(const Passing& p, const Addends& all) {
  double low = least_stride, high = most_stride;
  for (int i = 0; i < 160; ++i) {
    const double third = (high - low) / 3;
    if (addends_of(p, low + third, all).room() < addends_of(p, high - third, all).room())
      low += third;
    else
      high -= third;
  }
  return addends_of(p, low, all);
}

// The strides that a factor and an offset allow.
std::pair<double, double> strides_of(const Passing& p, std::int64_t factor, std::int64_t offset) {
  double low = least_stride, high = most_stride;
  const auto scaled = [&](double sum) {
    return static_cast<double>(factor) * sum + static_cast<double>(offset);
  };
  const auto bound = [&](double at, bool from_above) {
    if (from_above)
      high = std::min(high, at);
    else
      low = std::max(low, at);
  };
  for (const auto& a : p.above) bound(scaled(a.sum) / a.half, a.half > 0);
  for (const auto& b : p.below) bound(scaled(b.sum) / b.half, b.half < 0);
  return {low, high};
}

}  // namespace

std::int64_t requantised(const SteppedRule& r, std::int64_t accumulator) {
  return requantised(r.rule, static_cast<std::int32_t>(r.factor * accumulator + r.offset));
}

std::optional<SteppedRule> stepped_rule(const Steps& wanted, const Interval& range,
                                        std::int64_t zero_point, std::int64_t most_factor) {
  const Interval results{wanted.first,
                         Exact{wanted.first} + static_cast<Exact>(wanted.begins.size())};
  if (!results.within(range) || !range.contains(zero_point))
    throw DesignError(
        code::out_of_range,
        fmt::format("results {} with the zero point {} leave the format; they must be within {}",
                    to_string(results), zero_point, to_string(range)));
  const Passing p = passing(bounds_of(wanted, range), zero_point);
  // Also try offsets beside the chosen one: they may have more room, and the chosen one may have no
  // scale that float32 can represent.
  constexpr std::int64_t beside = 4;
  std::optional<Addends> real;
  for (std::int64_t factor = 1; factor <= most_factor; ++factor) {
    const double held = static_cast<double>(most_scaled) / static_cast<double>(factor);
    const Addends all{-held - static_cast<double>(wanted.reachable.lo),
                      held - static_cast<double>(wanted.reachable.hi)};
    if (!real || !real->within(all)) real = widest(p, all);
    if (real->room() < 0) return std::nullopt;  // larger factors have less
    const Interval reached = wanted.reachable * Exact{factor};
    const auto middle =
        static_cast<std::int64_t>(std::floor(static_cast<double>(factor) * real->chosen()));
    std::vector<std::pair<double, SteppedRule>> found;  // by the ratio of the scale's bounds
    for (std::int64_t offset = middle - beside; offset <= middle + 1 + beside; ++offset) {
      if (!(reached + Exact{offset}).within({-most_scaled, most_scaled})) continue;
      const auto [low, high] = strides_of(p, factor, offset);
      if (low > high) continue;
      found.push_back({high / low,
                       {.factor = factor,
                        .offset = offset,
                        .rule = {.scale = static_cast<float>(2 / (low + high)),
                                 .zero_point = zero_point,
                                 .range = range}}});
    }
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& candidate : found) {
      const auto& rule = candidate.second;
      if (!difference(wanted, [&](std::int64_t v) { return requantised(rule, v); })) return rule;
    }
  }
  return std::nullopt;
}

std::int64_t most_factor(std::span<const std::int16_t> weights, int sign, int bits) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  std::int64_t factor = most;
  for (const std::int64_t w : weights) {
    if (sign * w > 0) factor = std::min(factor, most / (sign * w));
    if (sign * w < 0) factor = std::min(factor, (most + 1) / -(sign * w));
  }
  return factor;
}

}  // namespace kumiki::gen::arith
