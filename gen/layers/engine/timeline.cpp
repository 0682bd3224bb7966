// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/timeline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gen/layers/engine/hardware/stream.h"

namespace kumiki::gen::engine {
namespace {

std::int64_t macs_of(const graph::Graph& g, const Op& op) {
  const auto* conv = std::get_if<graph::Conv>(&g.nodes[op.nodes[0]].op);
  if (!conv) return 0;
  const std::int64_t terms = std::ssize(conv->weights) / std::ssize(conv->bias);
  return terms * op.channels * op.walk.height * op.walk.width;
}

std::int64_t& of(ByCause& all, Cause cause) { return all[static_cast<std::size_t>(cause)]; }

// An input that is also an output has no node; its moves are one layer.
std::string name_without_node(const graph::Graph& g, const Step& step) {
  const auto* load = std::get_if<Load>(&step);
  const auto* store = std::get_if<Store>(&step);
  return g.tensors[load ? load->tensor : store->tensor].name;
}

constexpr std::size_t unseen = ~std::size_t{0};

void find_layers(const Program& p, Timeline& t) {
  std::map<std::string, std::size_t> by_tensor;
  std::map<std::size_t, std::size_t> by_node;
  std::vector<bool> has_operation;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const auto* op = std::get_if<Op>(&p.steps[i]);
    const std::string name = op           ? name_of(*p.graph, *op)
                             : p.nodes[i] ? p.graph->nodes[*p.nodes[i]].name
                                          : name_without_node(*p.graph, p.steps[i]);
    std::size_t& number = p.nodes[i] ? by_node.emplace(*p.nodes[i], unseen).first->second
                                     : by_tensor.emplace(name, unseen).first->second;
    if (number == unseen) {
      number = t.layers.size();
      t.layers.push_back({.name = name});
      has_operation.push_back(false);
    }
    if (op && !has_operation[number]) {
      t.layers[number].name = name;  // with the nodes in its lanes
      has_operation[number] = true;
    }
    ++t.layers[number].steps;
    t.layer_of.push_back(number);
  }
}

// Calls f with each stretch of clocks and the span that it belongs to.
template <class F>
void each_stretch(const std::vector<Span>& spans, F f) {
  struct Edge {
    std::int64_t clock;
    bool begins;
    std::size_t span;
  };
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    edges.push_back({spans[i].begin, true, i});
    edges.push_back({spans[i].end, false, i});
  }
  std::ranges::stable_sort(edges, {}, &Edge::clock);
  // Parts are in the order in which they take the clocks.
  std::set<std::pair<Busy, std::size_t>> active;
  std::int64_t from = 0;
  for (std::size_t i = 0; i < edges.size();) {
    const std::int64_t clock = edges[i].clock;
    const std::optional<std::size_t> before =
        active.empty() ? std::nullopt : std::optional(active.begin()->second);
    for (; i < edges.size() && edges[i].clock == clock; ++i) {
      const std::pair entry{spans[edges[i].span].part, edges[i].span};
      if (edges[i].begins)
        active.insert(entry);
      else
        active.erase(entry);
    }
    if (before)
      f(spans[*before], clock - from);
    else if (!active.empty())
      f(spans[active.begin()->second], clock - from);
    from = clock;
  }
}

}  // namespace

std::string name_of(const graph::Graph& g, const Op& op) {
  std::string name = g.nodes[op.nodes[0]].name;
  for (std::size_t k = 1; k < op.nodes.size(); ++k) name += " + " + g.nodes[op.nodes[k]].name;
  return name;
}

std::string_view name_of(Cause cause) {
  constexpr std::array<std::string_view, causes> names{"products", "results", "weights",
                                                       "loads",    "stores",  "beginnings"};
  return names[static_cast<std::size_t>(cause)];
}

std::int64_t LayerClocks::clocks() const {
  return std::accumulate(by_cause.begin(), by_cause.end(), std::int64_t{0});
}

Cause LayerClocks::bound() const {
  return static_cast<Cause>(std::ranges::max_element(by_cause) - by_cause.begin());
}

ByCause Timeline::by_cause() const {
  ByCause all{};
  for (const LayerClocks& l : layers)
    for (std::size_t c = 0; c < causes; ++c) all[c] += l.by_cause[c];
  return all;
}

std::string images_of(const Program& p) {
  return p.images() == 1 ? "an image" : fmt::format("{} images", p.images());
}

Timeline timeline_of(const EnginePlan& plan, const Program& program) {
  Timeline t;
  t.clocks = forecast(plan, program, &t.spans);
  find_layers(program, t);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    LayerClocks& l = t.layers[t.layer_of[i]];
    const Step& step = program.steps[i];
    l.bytes +=
        (beats_that_come(plan, step) + beats_that_leave(plan, step)) * plan.core.shape.beat_bytes();
    if (const auto* op = std::get_if<Op>(&step)) l.macs += macs_of(*program.graph, *op);
  }
  each_stretch(t.spans, [&](const Span& s, std::int64_t clocks) {
    of(t.layers[t.layer_of[s.step]].by_cause, s.cause) += clocks;
  });
  for (LayerClocks& l : t.layers) l.begin = t.clocks;
  for (const Span& s : t.spans) {
    LayerClocks& l = t.layers[t.layer_of[s.step]];
    l.begin = std::min(l.begin, s.begin);
    l.end = std::max(l.end, s.end);
    of(l.by_cause, s.cause) -= s.results;
    of(l.by_cause, Cause::results) += s.results;
  }
  return t;
}

}  // namespace kumiki::gen::engine
