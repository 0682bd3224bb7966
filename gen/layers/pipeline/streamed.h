// SPDX-License-Identifier: Apache-2.0
// A graph without its reshapes and without nodes that no output needs; every tensor is a map, as a
// stream of pixels needs it. A dense layer on a flattened map becomes a convolution whose window is
// the whole map, so the order of its numbers does not matter.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/graph/graph.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {

// A node that no machine implements: "t7 is a transpose of 3x8x8".
struct NoMachine : DesignError {
  NoMachine(const graph::Node& node, const std::string& why);
};

// For operators that are rounded as float32 rounds, unless the field `integers` is 1. Throws
// NoMachine.
void require_integers(const graph::Node& node, int integers);
// For operators whose slices add four numbers. Throws NoMachine.
void require_w(const graph::Node& node, const packing::Limits& limits);
// Throws NoMachine.
graph::Graph streamed(const graph::Graph& graph);

}  // namespace kumiki::gen::pipeline
