// SPDX-License-Identifier: Apache-2.0
// A graph without its reshapes and without nodes of which no output is made, every tensor a map:
// what a stream of pixels makes of them. A dense layer on a map that was flattened is a convolution
// whose window is the whole map, so the order in which its numbers come by does not matter.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {

// A node that no pipeline has, in words: "t7 is a transpose of 3x8x8".
struct NoMachine : DesignError {
  NoMachine(const graph::Node& node, const std::string& why);
};

// Throws NoMachine.
graph::Graph streamed(const graph::Graph& graph);

}  // namespace kumiki::gen::pipeline
