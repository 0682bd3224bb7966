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

std::int64_t Behind::least_slices(std::size_t node, const Stream& sums) const {
  if (f_.numbers(node, sums.format)) return of_numbers(f_.graph().nodes[node].output, sums.lanes);
  return best(node, sums, [](const Stream& cut) { return least_of_lanes(cut); }).slices;
}

std::int64_t Behind::least_of_lanes(const Stream& cut) { return std::min(cut.lanes, cut.channels); }

Behind::Best Behind::best(std::size_t node, const Stream& sums) const {
  return best(node, sums, [&](const Stream& cut) { return f_.requantised(node, cut)->slices(); });
}

template <class Requantised>
Behind::Best Behind::best(std::size_t node, const Stream& sums, Requantised&& requantised) const {
  const auto& offsets = f_.offsets(node);
  const auto steps = offsets ? f_.steps_behind(node) : std::nullopt;
  const graph::TensorId numbers = f_.graph().nodes[steps.value_or(node)].output;
  std::optional<Best> best;
  for (const std::int64_t lanes : dividing_lanes(sums, clocks_)) {
    Stream cut = sums;
    cut.lanes = lanes;
    const std::int64_t least = offsets ? 0 : least_of_lanes(cut);
    if (best && best->slices <= least) break;
    const std::int64_t behind = of_numbers(numbers, lanes);
    if (best && best->slices <= least + behind) continue;
    const std::int64_t slices = (offsets ? 0 : requantised(cut)) + behind;
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
