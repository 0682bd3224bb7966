// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/map.h"

#include <numeric>

namespace kumiki::gen::engine {
namespace {

// Differences of places repeat when all phases have had their turn.
template <class Place>
Steps steps_of(std::int64_t first, std::int64_t step, std::int64_t phases, const Place& place) {
  Steps all{.first = place(first), .steps = {}};
  const std::int64_t period = phases / std::gcd(step, phases);
  for (std::int64_t i = 0; i < period; ++i)
    all.steps.push_back(place(first + (i + 1) * step) - place(first + i * step));
  return all;
}

}  // namespace

std::int64_t Steps::at(std::int64_t i) const {
  const auto period = static_cast<std::int64_t>(steps.size());
  std::int64_t place =
      first + i / period * std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
  for (std::int64_t k = 0; k < i % period; ++k) place += steps[static_cast<std::size_t>(k)];
  return place;
}

Steps Map::lines_from(std::int64_t from, std::int64_t step) const {
  return steps_of(from, step, phases[0],
                  [&](std::int64_t y) { return phase(y % phases[0], 0) + y / phases[0] * pitch; });
}

Steps Map::columns_from(std::int64_t from, std::int64_t step) const {
  return steps_of(from, step, phases[1],
                  [&](std::int64_t x) { return phase(0, x % phases[1]) + x / phases[1]; });
}

}  // namespace kumiki::gen::engine
