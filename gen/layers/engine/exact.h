// SPDX-License-Identifier: Apache-2.0
// Why a node would not be exact on the engine; empty if it is.
#pragma once
#include <string>

#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

// A weight that needs more than a byte.
std::string wide_weight(const graph::Conv& conv);
// A sum that the node reaches and that float32 rounds.
std::string rounded_sum(const graph::Graph& graph, const graph::Node& node);
// An input is stored less another number than the result.
std::string other_sign(const graph::Graph& graph, const graph::Node& node);

}  // namespace kumiki::gen::engine
