// SPDX-License-Identifier: Apache-2.0
// Clocks that no program can undercut.
#pragma once
#include <cstdint>

#include "gen/graph/graph.h"
#include "gen/layers/engine/shape.h"

namespace kumiki::gen::engine {

// Of a graph of maps on an engine, if each layer is computed by the windows that it has. Units take
// turns, so their clocks add up: products fill all rows and four pixels, and results of a tile
// leave pixel by pixel. Beside them the stream brings each weight and each number of an input once.
// Sums and tables are in the lanes and cost nothing, and so does what only moves numbers.
std::int64_t least_clocks(const EngineShape& shape, const graph::Graph& graph);

}  // namespace kumiki::gen::engine
