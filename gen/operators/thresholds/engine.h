// SPDX-License-Identifier: Apache-2.0
// Thresholds on the engine: of bytes, or behind the sums of a convolution.
#pragma once
#include <string>
#include <vector>

#include "gen/arith/stepped_rule.h"
#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

// By channel: the rule that has the same steps.
struct StepRules {
  std::string why_not;  // if a channel has none
  std::vector<arith::SteppedRule> rules;
};
StepRules step_rules(const graph::Graph& graph, const graph::Node& thresholds);

// A convolution whose requantised results are those of the thresholds behind it.
struct SteppedConv {
  StepRules steps;
  graph::Conv conv;  // with other weights and biases
};
SteppedConv stepped_conv(const graph::Graph& graph, const graph::Node& conv,
                         const graph::Node& thresholds);

}  // namespace kumiki::gen::engine
