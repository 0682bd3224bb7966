// SPDX-License-Identifier: Apache-2.0
// Softmax and layer normalisation as the normaliser computes them.
#pragma once
#include <string>
#include <variant>

#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

class Known;
class Lowerer;
struct Job;

inline bool normalises(const graph::Operator& op) {
  return std::holds_alternative<graph::Softmax>(op) || std::holds_alternative<graph::LayerNorm>(op);
}
// Why the normaliser does not do a node; empty: it does. `integers`: the node's field.
std::string why_not_normalised(const Known& known, const graph::Node& node, int integers);
void normalise(Lowerer& lowerer, const Job& job);

// Of a node that is one of the two, in integers: for results as they are stored.
std::variant<graph::SoftmaxIntegers, graph::NormIntegers> normal_of(const graph::Graph& graph,
                                                                    const graph::Node& node);

}  // namespace kumiki::gen::engine
