// SPDX-License-Identifier: Apache-2.0
// Which layers take no slice: all of their products are in LUTs (machines/unrolled.h).
#pragma once
#include <cstddef>
#include <set>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/request.h"

namespace kumiki::gen::pipeline {

// The nodes of a streamed graph that the request names. Refusal, at the name to blame.
std::set<std::size_t> nodes_in_luts(const Request& request, const graph::Graph& graph);

}  // namespace kumiki::gen::pipeline
