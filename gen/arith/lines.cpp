// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/lines.h"

#include <algorithm>
#include <cmath>

#include "gen/arith/bounds.h"
#include "gen/arith/peak.h"
#include "gen/arith/scale.h"

namespace kumiki::gen::arith {
namespace {

Exact size(const Interval& i) { return std::max(-i.lo, i.hi); }

// A bound of every product and offset that makes a difference.
Exact most_offset(const Steps& steps, const Interval& range, Exact factor, int shift) {
  return size(steps.reachable) * factor + (size(range) + 2) * power_of_two(shift);
}

constexpr int bits_of_float = 24, most_exact_shift = 90, most_bits_of_sum = 60;

}  // namespace

std::vector<Line> lines_of(const Steps& steps, double scale, const Interval& range, int most_bits,
                           std::size_t most) {
  std::vector<Line> all;
  const Bounds bounds = bounds_of(steps, range);
  const auto most_factor = static_cast<double>(power_of_two(most_bits) - 1);
  for (int shift = 0; all.size() < most; ++shift) {
    const double exact = std::ldexp(scale, shift);
    if (exact > most_factor) break;
    const auto room = [&](Exact factor) { return bounds.offsets(factor, shift).span(); };
    // The room is concave in the factor: take the factor with the most room, then its neighbours.
    const Exact low = std::max<Exact>(1, static_cast<Exact>(std::floor(exact / 2)));
    const Exact high = static_cast<Exact>(std::ceil(exact * 2));
    if (most_offset(steps, range, high, shift) > power_of_two(most_bits_of_sum)) break;
    const Exact best = peak(low, high, room);
    const auto add = [&](Exact factor) {
      const Interval offsets = bounds.offsets(factor, shift);
      if (offsets.lo > offsets.hi) return false;
      if (factor % 2 != 0 && all.size() < most)
        all.push_back({static_cast<std::int64_t>(factor), shift, offsets});
      return true;
    };
    if (!add(best)) continue;
    for (const int step : {1, -1})
      for (Exact factor = best + step; factor > 0 && all.size() < most && add(factor);)
        factor += step;
  }
  return all;
}

std::optional<Straight> straightened(const Steps& steps, float scale, std::int64_t zero_point,
                                     std::size_t most) {
  const auto [factor, shift] = shortest_scale(scale, bits_of_float);
  if (shift < 1 || shift > most_exact_shift) return {};
  const Exact unit = power_of_two(shift), times = factor;
  const auto line = [&](Exact acc) { return floor_div(acc * times + unit / 2, unit) + zero_point; };
  Straight straight{.steps = steps, .exceptions = {}};
  for (std::size_t i = 0; i < steps.begins.size(); ++i) {
    const Exact result = Exact{steps.first} + 1 + static_cast<Exact>(i);
    std::int64_t& begin = straight.steps.begins[i];
    const std::int64_t begins = begin;
    if (line(begins) < result) {
      straight.exceptions[begins] = steps.at(begins);
      begin = begins + 1;
      if (line(begin) < result) return {};
    } else if (begins > steps.reachable.lo && line(Exact{begins} - 1) >= result) {
      begin = begins - 1;
      straight.exceptions[begin] = steps.at(begin);
      if (begin > steps.reachable.lo && line(Exact{begin} - 1) >= result) return {};
    }
  }
  if (straight.exceptions.size() > most) return {};
  return straight;
}

}  // namespace kumiki::gen::arith
