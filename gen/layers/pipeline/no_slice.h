// SPDX-License-Identifier: Apache-2.0
// Which layers take no slice: all of their products in LUTs at once (machines/unrolled.h), or in
// compressor trees, as many in a clock as the pace needs (machines/convolution.h). And which layers
// have their weights in a memory outside.
#pragma once
#include <cstddef>
#include <set>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/request.h"

namespace kumiki::gen::pipeline {

struct NoSlice {
  std::set<std::size_t> in_luts, in_trees, outside;  // nodes of a streamed graph
  std::int64_t word_bits = 128;                      // of the memory outside
};

// The nodes that the request names. A Refusal points at the wrong name.
NoSlice nodes_without_slice(const Request& request, const graph::Graph& graph);

}  // namespace kumiki::gen::pipeline
