// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/bound.h"

#include <algorithm>

#include "ir/ceil_div.h"

namespace kumiki::gen::engine {
namespace {

using graph::Graph;
using graph::Node;

// Sets of four pixels of a map.
std::int64_t sets(const graph::Shape& map) {
  return ceil_div(std::int64_t{map[1]} * map[2], EngineShape::pixels);
}

// A unit that computes each channel by itself.
std::int64_t by_channel(const EngineShape& s, const graph::Shape& result, std::int64_t words,
                        std::int64_t leaving) {
  return ceil_div(result[0], s.rows) * sets(result) * std::max(words, leaving);
}

std::int64_t clocks_of(const EngineShape& s, const Graph& g, const Node& n) {
  const graph::Shape& result = g.tensors[n.output].shape;
  if (const auto* conv = std::get_if<graph::Conv>(&n.op)) {
    const graph::Shape& map = g.tensors[n.inputs[0]].shape;
    const std::int64_t in = map[0] / conv->groups, out = result[0] / conv->groups,
                       taps = conv->window.taps();
    // A tile reads the channels of all its groups.
    const auto tile = [&](std::int64_t channels) {
      const std::int64_t read = std::max<std::int64_t>(1, channels / out) * in;
      return std::max(ceil_div(read * taps, s.rows), EngineShape::pixels);
    };
    const std::int64_t whole = result[0] / s.columns, rest = result[0] % s.columns;
    const std::int64_t of_products =
        sets(result) * (whole * tile(s.columns) + (rest > 0 ? tile(rest) : 0));
    if (in > 1) return of_products;
    // Each channel by itself, or a product after all.
    return std::min(of_products,
                    by_channel(s, result, taps, EngineShape::pixels * s.rows / s.columns));
  }
  if (const auto* pool = std::get_if<graph::MaxPool>(&n.op))
    return by_channel(s, result, pool->window.taps(), EngineShape::pixels);
  return 0;
}

}  // namespace

std::int64_t least_clocks(const EngineShape& s, const Graph& g) {
  std::int64_t clocks = 0, bytes = 0;
  for (const graph::TensorId id : graph::all_inputs(g))
    bytes += static_cast<std::int64_t>(graph::count(g.tensors[id].shape));
  for (const Node& n : g.nodes) {
    clocks += clocks_of(s, g, n);
    if (const auto* conv = std::get_if<graph::Conv>(&n.op)) bytes += std::ssize(conv->weights);
  }
  return std::max(clocks, ceil_div(bytes, s.beat_bytes()));
}

}  // namespace kumiki::gen::engine
