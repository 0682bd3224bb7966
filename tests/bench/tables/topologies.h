// SPDX-License-Identifier: Apache-2.0
// Networks for which others publish figures, with random weights: the cost of a pipeline depends on
// shapes, formats and ranges, and these are the published ones.
#pragma once
#include <cstdint>
#include <span>

#include "gen/graph/graph.h"

namespace kumiki::cli {

struct Topology {
  const char* name;
  std::int64_t clocks = 0;  // target interval of its folding
  gen::graph::Graph (*make)();
  bool is_large = false;  // planning or running it takes minutes
  // Nodes that take no slice.
  const char *in_luts = nullptr, *in_trees = nullptr;
};
std::span<const Topology> topologies();
// Networks of bytes for images of 224 x 224, for the interpreter alone: without a target interval.
std::span<const Topology> interpreted_topologies();

// Networks of bytes for the engine.
std::span<const Topology> engine_topologies();

}  // namespace kumiki::cli
