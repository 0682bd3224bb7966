// SPDX-License-Identifier: Apache-2.0
// A network as a picture: inputs above, a box a node, branches side by side.
#pragma once
#include <string>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

// An SVG, the same bytes for the same graph. DesignError for one that has no place on a page. The
// graph has to be legal.
std::string network_svg(const Graph& graph);

// The same to be read: a line a node, which nodes it reads, what it makes.
std::string network_text(const Graph& graph);

}  // namespace kumiki::gen::graph
