// SPDX-License-Identifier: Apache-2.0
// What the nodes of a graph say whatever the storage of their maps. Drafts of one program share it:
// each answer is found once, when it is asked for first.
#pragma once
#include <map>
#include <optional>

#include "gen/graph/graph.h"
#include "gen/layers/engine/moves.h"
#include "gen/layers/engine/shape.h"
#include "gen/operators/mul/engine.h"
#include "gen/operators/thresholds/engine.h"

namespace kumiki::gen::engine {

class Known {
 public:
  Known(const graph::Graph& graph, const EngineShape& shape);
  Known(const Known&) = delete;
  const graph::Graph& graph() const { return g_; }
  bool has_normaliser() const { return has_normaliser_; }

  // The Thresholds node that alone reads the sums of a convolution, if they have more than 8 bits.
  std::optional<std::size_t> steps_behind(const graph::Node& conv) const;
  // A convolution with such a node.
  const SteppedConv& stepped(const graph::Node& conv) const;
  // Of Thresholds of bytes.
  const StepRules& rules(const graph::Node& thresholds) const;
  // Nothing: the node moves numbers in a way that no walk has.
  const std::optional<Moves>& moves(const graph::Node& node) const;
  const std::optional<Products>& products(const graph::Node& mul) const;

 private:
  template <class Found>
  using ByNode = std::map<const graph::Node*, Found>;

  const graph::Graph& g_;
  bool has_normaliser_;
  ByNode<std::size_t> steps_;
  mutable ByNode<SteppedConv> stepped_;
  mutable ByNode<StepRules> rules_;
  mutable ByNode<std::optional<Products>> products_;
  mutable ByNode<std::optional<Moves>> moves_;
};

}  // namespace kumiki::gen::engine
