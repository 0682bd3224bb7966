// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/known.h"

#include "gen/graph/readers.h"

namespace kumiki::gen::engine {
namespace {

using graph::Node;

template <class All, class Find>
const auto& once(All& all, const Node& n, const Find& find) {
  const auto known = all.find(&n);
  return known == all.end() ? all.emplace(&n, find()).first->second : known->second;
}

}  // namespace

Known::Known(const graph::Graph& g, const EngineShape& shape)
    : g_(g), has_normaliser_(shape.normalises) {
  const graph::Readers readers = graph::readers_of(g);
  for (const Node& n : g.nodes) {
    if (!std::holds_alternative<graph::Conv>(n.op) || g.tensors[n.output].format.bits <= 8)
      continue;
    if (const auto steps = graph::thresholds_behind(g, readers, n.output))
      steps_.emplace(&n, *steps);
  }
}

std::optional<std::size_t> Known::steps_behind(const Node& conv) const {
  const auto found = steps_.find(&conv);
  return found == steps_.end() ? std::nullopt : std::optional(found->second);
}

const SteppedConv& Known::stepped(const Node& conv) const {
  return once(stepped_, conv, [&] { return stepped_conv(g_, conv, g_.nodes[steps_.at(&conv)]); });
}

const StepRules& Known::rules(const Node& thresholds) const {
  return once(rules_, thresholds, [&] { return step_rules(g_, thresholds); });
}

const std::optional<Products>& Known::products(const Node& mul) const {
  return once(products_, mul, [&] { return products_of(g_, mul); });
}

const std::optional<Moves>& Known::moves(const Node& n) const {
  return once(moves_, n, [&] { return moves_of(g_, n); });
}

}  // namespace kumiki::gen::engine
