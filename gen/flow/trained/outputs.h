// SPDX-License-Identifier: Apache-2.0
// What a machine made of images, against the definition of their network.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "gen/flow/trained/results.h"
#include "gen/graph/graph.h"

namespace kumiki::flow {

struct Outputs {
  const gen::graph::Graph& graph;
  std::string machine;   // that made them
  unsigned threads = 0;  // of the definition; 0: one for each processor
};

// `made`: image by image, the numbers of every output. Fills what is wanted of the inputs and
// outputs. DesignError: a number differs from the definition. Interrupted.
void take_outputs(const Outputs& of, std::span<const std::int32_t> images, std::size_t count,
                  std::span<const std::int32_t> made, std::span<TensorNumbers> wanted);

}  // namespace kumiki::flow
