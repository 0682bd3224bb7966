// SPDX-License-Identifier: Apache-2.0
// What the engine knows of a product.
#pragma once
#include <optional>

#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

// The scale that gives all products in a lane; empty: there is none.
std::optional<float> scale_of(const graph::Graph& graph, const graph::Node& mul);

}  // namespace kumiki::gen::engine
