// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "gen/layers/pipeline/machines/requantise_sums.h"

namespace kumiki::gen::pipeline {

std::vector<std::int64_t> dividing_lanes(Stream s, std::int64_t clocks) {
  const std::int64_t own = s.lanes;
  std::vector<std::int64_t> all;
  for (s.lanes = 1; s.lanes < own; ++s.lanes)
    if (own % s.lanes == 0 && s.beats() <= clocks) all.push_back(s.lanes);
  all.push_back(own);
  return all;
}

std::int64_t Behind::slices(std::size_t node, const Stream& sums) const {
  return f_.numbers(node, sums.format) ? of_numbers(f_.graph().nodes[node].output, sums.lanes)
                                       : best(node, sums).slices;
}

std::int64_t Behind::lanes_of_numbers(std::size_t node, const Stream& sums) const {
  return best(node, sums).lanes;
}

Behind::Best Behind::best(std::size_t node, const Stream& sums) const {
  const auto& offsets = f_.offsets(node);
  const auto steps = offsets ? f_.steps_behind(node) : std::nullopt;
  const graph::TensorId numbers = f_.graph().nodes[steps.value_or(node)].output;
  std::optional<Best> best;
  for (const std::int64_t lanes : dividing_lanes(sums, clocks_)) {
    Stream cut = sums;
    cut.lanes = lanes;
    // Every requantised lane takes at least one slice.
    if (best && best->slices <= (offsets ? 0 : std::min(lanes, sums.channels))) break;
    const std::int64_t here = offsets ? 0 : f_.requantised(node, cut)->slices();
    const std::int64_t slices = here + of_numbers(numbers, lanes);
    if (!best || slices < best->slices) best = {lanes, slices};
  }
  return *best;
}

std::int64_t Behind::of_numbers(graph::TensorId id, std::int64_t lanes) const {
  std::int64_t sum = 0;
  for (const std::size_t i : f_.readers(id))
    sum += std::visit([&](const auto& op) { return slices_behind(*this, i, id, lanes, op); },
                      graph().nodes[i].op);
  return sum;
}

}  // namespace kumiki::gen::pipeline
