// SPDX-License-Identifier: Apache-2.0
// A graph as text, one line for each tensor and node, for people to read, compare and store. Scales
// are hexadecimal floats, so reading restores the same graph exactly.
//
//   graph tiny
//   tensor x s8 1x4x4 scale 0x1p-1 zero 3
//   tensor y u8 2x2x2 scale 0x1.8p+1 zero 0
//   input x
//   output y
//   conv c x -> y kernel 3x3
//     scales 0x1.5555p-7
//     bias 12 -7
//     weights 1 0 -1 2 0 -2 1 0 -1 1 2 1 0 0 0 -1 -2 -1
//
// A node's omitted words have the defaults of graph.h. Names that are not a single word are quoted.
#pragma once
#include <string>
#include <string_view>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

std::string to_text(const Graph& graph);
// DesignError, "net.graph:3: ...", also if the graph is invalid.
Graph parse_graph(std::string_view file, std::string_view text);

}  // namespace kumiki::gen::graph
