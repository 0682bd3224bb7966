// SPDX-License-Identifier: Apache-2.0
// Products of two maps, as attention has them, in the form that the engine computes: weights are
// pixels of the second map, and no number changes its place between heads and tokens.
//
//   scores       queries by keys; each head gives a line of the result, so its channels begin with
//                a block; so does a softmax of scores
//   values       their transpose: products of ones, a line for each block of channels
//   what mixes   lines of scores by the transpose of the values
//
// Transposes are left where other nodes read scores. simplify_transposes() moves them to the ends
// of the graph.
#pragma once
#include "gen/graph/graph.h"
#include "gen/layers/engine/shape.h"

namespace kumiki::gen::engine {

graph::Graph with_heads_in_lines(const graph::Graph& graph, const EngineShape& shape);

}  // namespace kumiki::gen::engine
