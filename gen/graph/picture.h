// SPDX-License-Identifier: Apache-2.0
// A network as a picture: inputs at the top, one box for each node, branches side by side.
#pragma once
#include <string>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

// An SVG; equal graphs give equal bytes. DesignError for a graph that does not fit on a page. The
// graph must be valid.
std::string network_svg(const Graph& graph);

// The same as text: one line for each node, with the nodes that it reads and its result.
std::string network_text(const Graph& graph);

}  // namespace kumiki::gen::graph
