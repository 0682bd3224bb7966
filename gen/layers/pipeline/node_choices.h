// SPDX-License-Identifier: Apache-2.0
// What a request chooses for single nodes. Layers without slices have all of their products in LUTs
// at once (gen/operators/conv/unrolled.h), or in compressor trees. Trees have as many products in a
// clock as the pace needs (gen/operators/conv/convolution.h). Other layers have their weights in a
// memory outside.
#pragma once
#include <cstddef>
#include <set>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/request.h"

namespace kumiki::gen::pipeline {

struct NodeChoices {
  std::set<std::size_t> in_luts, in_trees, outside;  // nodes of a streamed graph
  std::int64_t word_bits = 128;                      // of the memory outside
};

// A Refusal points at a name that is wrong.
NodeChoices node_choices(const Request& request, const graph::Graph& graph);

}  // namespace kumiki::gen::pipeline
