// SPDX-License-Identifier: Apache-2.0
// Several images in one run of a program. Each has maps of its own up to the dense layers at the
// end. These are computed for all images together: what they read are columns of one map, so their
// weights come once.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

// Where an input or output of an image is.
struct End {
  graph::TensorId tensor = 0;
  // The first of its columns in a map of all images; none: it has a map of its own.
  std::optional<std::int64_t> column = {};
  friend bool operator==(const End&, const End&) = default;
};

struct Batch {
  graph::Graph graph;
  // By image; for each input and output of one image, in order.
  std::vector<std::vector<End>> inputs, outputs;
};

// Of a graph of maps. One image: the graph as it is.
Batch batched(graph::Graph graph, std::int64_t images);

}  // namespace kumiki::gen::engine
