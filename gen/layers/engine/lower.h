// SPDX-License-Identifier: Apache-2.0
// From a network to operations of an engine: which nodes are one operation, how every map is
// stored, and where.
#pragma once
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

// For so many images at once. DesignError: a node that no unit does, or maps that do not fit.
Program lower(const graph::Graph& graph, const EngineShape& shape, std::int64_t images = 1);

}  // namespace kumiki::gen::engine
