// SPDX-License-Identifier: Apache-2.0
// Thresholds behind the sums of a convolution on the engine.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/stepped_rule.h"
#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

// The Thresholds node that alone reads the sums of a convolution, if they have more than 8 bits.
std::optional<std::size_t> steps_behind(const graph::Graph& graph, const graph::Node& conv);

// A convolution whose requantised results are those of the thresholds behind it.
struct SteppedConv {
  std::string why_not;  // if there is none
  graph::Conv conv;     // with other weights and biases
  std::vector<arith::SteppedRule> rules;
};
SteppedConv with_steps(const graph::Graph& graph, const graph::Node& conv,
                       const graph::Node& thresholds);

}  // namespace kumiki::gen::engine
