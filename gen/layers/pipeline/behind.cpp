// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "gen/layers/pipeline/machines/average.h"
#include "gen/layers/pipeline/machines/max_pool.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"

namespace kumiki::gen::pipeline {

using graph::Node;

std::vector<std::int64_t> dividing_lanes(Stream s, std::int64_t clocks) {
  const std::int64_t own = s.lanes;
  std::vector<std::int64_t> all;
  for (s.lanes = 1; s.lanes < own; ++s.lanes)
    if (own % s.lanes == 0 && s.beats() <= clocks) all.push_back(s.lanes);
  all.push_back(own);
  return all;
}

std::int64_t lanes_of_pool(const Stream& stream, const graph::Window& window, std::int64_t clocks) {
  MaxPoolPlan pool{.stream = stream, .window = window};
  while (pool.interval() > clocks && pool.stream.lanes < stream.channels)
    pool.stream.lanes = std::min(pool.stream.lanes + stream.lanes, stream.channels);
  return pool.stream.lanes;
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
    // No lane is requantised without a slice.
    if (best && best->slices <= (offsets ? 0 : std::min(lanes, sums.channels))) break;
    const std::int64_t here = offsets ? 0 : f_.requantised(node, cut)->slices();
    const std::int64_t slices = here + of_numbers(numbers, lanes);
    if (!best || slices < best->slices) best = {lanes, slices};
  }
  return *best;
}

std::int64_t Behind::of_add(std::size_t node) const {
  const Node& n = f_.graph().nodes[node];
  const auto& tensors = f_.graph().tensors;
  const Stream a = stream_of(tensors[n.inputs[0]], 1), b = stream_of(tensors[n.inputs[1]], 1);
  // Sums as they are come in fewer bits than their tensor has.
  return legal(a, b) ? f_.added(node, a, b)->slices() : 0;
}

std::int64_t Behind::of_numbers(graph::TensorId id, std::int64_t lanes) const {
  std::int64_t sum = 0;
  for (const std::size_t i : f_.readers(id)) {
    const Node& n = f_.graph().nodes[i];
    if (std::holds_alternative<graph::GlobalAverage>(n.op)) {
      const AveragePlan average{.stream = stream_of(f_.graph().tensors[id], lanes)};
      sum += slices(i, average.output());
    } else if (std::holds_alternative<graph::Add>(n.op)) {
      // In the lanes of the first that it reads; those of the other are changed.
      if (n.inputs[0] == id) sum += of_add(i) * lanes + of_numbers(n.output, lanes);
    } else if (const auto* pool = std::get_if<graph::MaxPool>(&n.op)) {
      const Stream in = stream_of(f_.graph().tensors[id], lanes);
      sum += of_numbers(n.output, lanes_of_pool(in, pool->window, clocks_));
    } else if (!std::holds_alternative<graph::Conv>(n.op) &&
               !std::holds_alternative<graph::Concat>(n.op)) {
      sum += of_numbers(n.output, lanes);
    }
  }
  return sum;
}

}  // namespace kumiki::gen::pipeline
