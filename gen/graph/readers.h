// SPDX-License-Identifier: Apache-2.0
// Who reads the tensors of a graph.
#pragma once
#include <optional>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

// By tensor: the nodes that read it, each once even if it reads the tensor several times.
using Readers = std::vector<std::vector<std::size_t>>;
Readers readers_of(const Graph& graph);

// The Thresholds node that alone reads a tensor. None if the tensor is an output.
std::optional<std::size_t> thresholds_behind(const Graph& graph, const Readers& readers,
                                             TensorId id);

}  // namespace kumiki::gen::graph
