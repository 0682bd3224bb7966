// SPDX-License-Identifier: Apache-2.0
// The steps of a program by layer: operations of one node, strip by strip or part by part, are one
// row; and so are loads, or stores, of one map that follow each other.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/layers/engine/pace.h"

namespace kumiki::gen::engine {

// The nodes of an operation.
std::string name_of(const graph::Graph& graph, const Op& op);

struct LayerPace {
  std::string name;
  std::int64_t steps = 0;
  std::int64_t clocks = 0;  // that it adds to the frame
  std::int64_t busy = 0;    // without waiting
  std::int64_t macs = 0, bytes = 0;
  Bound bound = Bound::maps;  // of most of its clocks
};

std::vector<LayerPace> layers_of(const Program& program, const ProgramPace& pace);

}  // namespace kumiki::gen::engine
