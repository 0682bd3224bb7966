// SPDX-License-Identifier: Apache-2.0
// Networks that others publish figures of, with random weights: what a pipeline takes depends on
// shapes, formats and ranges, and these are theirs.
#pragma once
#include <cstdint>
#include <span>

#include "gen/graph/graph.h"

namespace kumiki::cli {

struct Topology {
  const char* name;
  std::int64_t clocks;  // of a frame, that it is folded for
  gen::graph::Graph (*make)();
  bool is_large = false;  // planning it, or a run of it, takes minutes
  // Nodes without a slice.
  const char *in_luts = nullptr, *in_trees = nullptr;
};
std::span<const Topology> topologies();

}  // namespace kumiki::cli
