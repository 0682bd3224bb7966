// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/layers.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace kumiki::gen::engine {
namespace {

// Returns the clock in which the last operation ends.
std::int64_t add_operations(const Program& p, const ProgramPace& pace,
                            std::vector<LayerPace>& layers) {
  std::map<std::size_t, std::size_t> of_node;
  std::vector<std::map<Bound, std::int64_t>> bounds;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const auto* op = std::get_if<Op>(&p.steps[i]);
    if (!op) continue;
    const StepPace& step = pace.steps[i];
    const auto [found, is_new] = of_node.emplace(op->nodes[0], layers.size());
    if (is_new) {
      layers.push_back({.name = name_of(*p.graph, *op)});
      bounds.emplace_back();
    }
    LayerPace& l = layers[found->second];
    ++l.steps;
    l.clocks += step.end - end;
    l.busy += step.busy;
    l.macs += step.macs;
    l.bytes += step.weight_bytes;
    bounds[found->second][step.bound] += step.end - end;
    end = step.end;
  }
  for (std::size_t i = 0; i < layers.size(); ++i)
    layers[i].bound =
        std::ranges::max_element(bounds[i], {}, [](const auto& b) { return b.second; })->first;
  return end;
}

void add_moves(const Program& p, const ProgramPace& pace, std::int64_t end,
               std::vector<LayerPace>& layers) {
  const std::size_t operations = layers.size();
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const auto* load = std::get_if<Load>(&p.steps[i]);
    const auto* store = std::get_if<Store>(&p.steps[i]);
    if (!load && !store) continue;
    const std::string name =
        fmt::format("{} {}", load ? "load" : "store",
                    p.graph->tensors[load ? load->tensor : store->tensor].name);
    if (layers.size() == operations || layers.back().name != name) layers.push_back({.name = name});
    LayerPace& l = layers.back();
    const StepPace& step = pace.steps[i];
    ++l.steps;
    l.clocks += std::max<std::int64_t>(step.end - end, 0);
    l.busy += step.busy;
    l.bytes += step.map_bytes;
    end = std::max(end, step.end);
  }
}

}  // namespace

std::string name_of(const graph::Graph& g, const Op& op) {
  std::string name = g.nodes[op.nodes[0]].name;
  for (std::size_t k = 1; k < op.nodes.size(); ++k) name += " + " + g.nodes[op.nodes[k]].name;
  return name;
}

std::vector<LayerPace> layers_of(const Program& p, const ProgramPace& pace) {
  std::vector<LayerPace> layers;
  const std::int64_t end = add_operations(p, pace, layers);
  add_moves(p, pace, end, layers);
  return layers;
}

}  // namespace kumiki::gen::engine
