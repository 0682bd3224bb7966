// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/readers.h"

#include <algorithm>
#include <set>

namespace kumiki::gen::graph {

Readers readers_of(const Graph& g) {
  Readers all(g.tensors.size());
  for (std::size_t n = 0; n < g.nodes.size(); ++n)
    for (const TensorId id : std::set(g.nodes[n].inputs.begin(), g.nodes[n].inputs.end()))
      all[id].push_back(n);
  return all;
}

std::optional<std::size_t> thresholds_behind(const Graph& g, const Readers& readers, TensorId id) {
  if (readers[id].size() != 1 || std::ranges::count(g.outputs, id) > 0) return {};
  const std::size_t reader = readers[id][0];
  if (!std::holds_alternative<Thresholds>(g.nodes[reader].op)) return {};
  return reader;
}

}  // namespace kumiki::gen::graph
