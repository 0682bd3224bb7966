// SPDX-License-Identifier: Apache-2.0
// A network as a picture: inputs above, a box a node, branches side by side.
#pragma once
#include <string>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

// An SVG, the same bytes for the same graph. DesignError for a graph that does not fit a page. The
// graph must be valid.
std::string network_svg(const Graph& graph);

// The same as text: a line for each node, with the nodes it reads and what it makes.
std::string network_text(const Graph& graph);

}  // namespace kumiki::gen::graph
