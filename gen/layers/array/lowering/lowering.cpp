// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/lowering/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gen/config/kind.h"
#include "gen/layers/array/lowering/node.h"
#include "gen/layers/array/refusal.h"
#include "gen/layers/array/setup.h"

namespace kumiki::gen::array {
namespace {

using graph::Graph;
using graph::Node;
using graph::TensorId;

// Makes unique names of letters, digits and _.
class Names {
 public:
  std::string of(const Node& node) {
    std::string plain;
    for (const char c : node.name.substr(0, longest)) {
      const bool legal =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (legal || !plain.empty()) plain += legal ? c : '_';
    }
    if (!config::identifier().accepts(plain)) plain = "layer_" + plain;
    if (!config::identifier().accepts(plain)) plain = "layer";
    std::string name = plain;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", plain, i);
    return name;
  }

 private:
  static constexpr std::size_t longest = 48;  // of 64: leaves room for a prefix and a number
  std::set<std::string> taken_;
};

class Lowerer {
 public:
  Lowerer(const Request& request, const std::map<std::size_t, std::string>& left_out)
      : request_(request), left_out_(left_out), graph_(*request.graph->graph) {
    out_.graph = request.graph->graph;
    out_.nodes.resize(graph_.nodes.size());
    readers_.resize(graph_.tensors.size());
    for (const Node& n : graph_.nodes)
      for (const TensorId id : n.inputs) ++readers_[id];
    for (const TensorId id : graph_.outputs) ++readers_[id];
  }

  Lowering lowered() {
    std::vector<std::size_t> averages;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      place(i);
      if (std::holds_alternative<graph::GlobalAverage>(graph_.nodes[i].op)) averages.push_back(i);
    }
    for (const std::size_t i : averages) try_layer(i, average(i));
    name_layers();
    schedule();
    return std::move(out_);
  }

 private:
  void place(std::size_t i) {
    const Node& n = graph_.nodes[i];
    LoweredNode& to = out_.nodes[i];
    if (joined_.contains(i) || no_steps_.contains(i)) return;  // reported with the previous layer
    if (const auto left = left_out_.find(i); left != left_out_.end()) {
      to.why = left->second;
    } else if (std::holds_alternative<graph::Conv>(n.op)) {
      if (!with_steps(i)) try_layer(i, layer_of_conv(graph_, n, data_bits(), coefficient_bits()));
    } else if (std::holds_alternative<graph::MaxPool>(n.op)) {
      to.why = join(i);
    } else if (is_free(n.op)) {
      to.place = Place::free;
      to.why = "the same numbers in the same order";
    } else {
      to.why = graph::left_to_host(n.op);
    }
  }

  int data_bits() const { return static_cast<int>(request_.bits); }
  int coefficient_bits() const {
    return static_cast<int>(request_.coefficient_bits.value_or(request_.bits));
  }

  // Stores the layer by node; names and order follow when all layers are known.
  void try_layer(std::size_t i, NodeLayer found) {
    LoweredNode& to = out_.nodes[i];
    to.why = std::move(found.why);
    if (!found.layer) return;
    to.place = Place::array;
    of_node_[i] = std::move(*found.layer);
    offset_[i] = found.output_offset;
    output_[i] = graph_.nodes[i].output;
  }

  // The path to the Thresholds node that is the only reader of a node's results, possibly through
  // nodes that do nothing; includes the Thresholds node.
  std::vector<std::size_t> steps_behind(std::size_t i) const {
    std::vector<std::size_t> path;
    TensorId at = graph_.nodes[i].output;
    const int channels = graph_.tensors[at].shape[0];
    for (std::size_t k = i + 1; k < graph_.nodes.size(); ++k) {
      const Node& n = graph_.nodes[k];
      if (std::ranges::find(n.inputs, at) == n.inputs.end()) continue;
      if (readers_[at] > 1) return {};
      path.push_back(k);
      if (std::holds_alternative<graph::Thresholds>(n.op)) {
        // The channels of both must be the same numbers.
        if (graph_.tensors[at].shape[0] != channels) return {};
        return path;
      }
      if (!is_free(n.op)) return {};
      at = n.output;
    }
    return {};
  }

  // Makes a layer whose requantisation implements the thresholds behind it.
  bool with_steps(std::size_t i) {
    const auto path = steps_behind(i);
    if (path.empty()) return false;
    const std::size_t steps = path.back();
    NodeLayer found = layer_of_steps(graph_, graph_.nodes[i], graph_.nodes[steps], data_bits(),
                                     coefficient_bits());
    if (!found.layer) {
      out_.nodes[steps].why = found.why;
      no_steps_.insert(steps);
      return false;
    }
    try_layer(i, std::move(found));
    output_[i] = graph_.nodes[steps].output;
    for (const std::size_t k : path) {
      out_.nodes[k].place = Place::joined;
      out_.nodes[k].why =
          k == steps ? "steps as results leave" : "the same numbers in the same order";
      joined_[k] = i;
    }
    return true;
  }

  NodeLayer average(std::size_t i) const {
    if (const auto left = left_out_.find(i); left != left_out_.end())
      return {std::nullopt, left->second};
    std::int64_t reach = request_.reach.value_or(1);
    if (!request_.reach)
      for (const auto& [node, layer] : of_node_)
        if (layer.kind() == Kind::conv) {
          const ConvShape s = shape_of(layer).conv;
          reach = std::max<std::int64_t>(
              reach, phases_of(static_cast<int>(s.kernel), static_cast<int>(s.stride),
                               static_cast<int>(s.dilation))
                         .reach());
        }
    return layer_of_average(graph_, graph_.nodes[i], data_bits(), reach);
  }

  // Joins a max pool to the layer before it, if nobody needs the unpooled results. Returns the
  // reason if it cannot.
  std::string join(std::size_t i) {
    const Node& n = graph_.nodes[i];
    Pooling pooling = pooling_of(graph_, n, request_);
    if (!pooling.pool) return pooling.why;
    const TensorId input = n.inputs[0];
    const auto maker = std::ranges::find(output_, input, [](const auto& o) { return o.second; });
    if (maker == output_.end()) return "no convolution of the array gives its map";
    NetworkLayer& layer = of_node_.at(maker->first);
    if (layer.kind() != Kind::conv || layer.pool)
      return "the layer that gives its map does not pool it";
    if (!keeps_all(layer)) return "the layer that gives its map leaves results out for its strides";
    if (readers_[input] > 1) return "its map is read unpooled too";
    const Node& conv = graph_.nodes[maker->first];
    if (graph_.tensors[input].shape != graph_.tensors[conv.output].shape)
      return "the layer that gives its map has another one";
    layer.pool = pooling.pool;
    maker->second = n.output;
    out_.nodes[i].place = Place::joined;
    joined_[i] = maker->first;
    return "pooled as results leave";
  }

  void name_layers() {
    Names names;
    std::map<std::size_t, std::size_t> number;
    for (auto& [node, layer] : of_node_) {
      const Node& n = graph_.nodes[node];
      LoweredLayer l{.node = node, .input = source(n.inputs[0]), .output = output_.at(node)};
      l.input_offset = *offset_of(graph_.tensors[l.input], data_bits());
      l.output_offset = offset_.at(node);
      layer.name = names.of(n);
      number[node] = out_.nodes[node].layer = out_.layers.size();
      out_.layers.push_back(l);
      out_.network.push_back(std::move(layer));
    }
    for (const auto& [pool, node] : joined_) out_.nodes[pool].layer = number.at(node);
  }

  // Follows nodes that do nothing back to their source.
  TensorId source(TensorId id) const {
    for (auto n = graph_.nodes.rbegin(); n != graph_.nodes.rend(); ++n)
      if (n->output == id && is_free(n->op)) id = n->inputs[0];
    return id;
  }

  // Collects layers until the host needs one of their results, or a layer needs a collected result
  // that is not the previous one.
  void schedule() {
    made_.assign(graph_.tensors.size(), none);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const LoweredNode& n = out_.nodes[i];
      if (n.place == Place::array) {
        add_layer(n.layer);
      } else if (n.place != Place::joined) {
        const Node& node = graph_.nodes[i];
        const bool waits =
            std::ranges::any_of(node.inputs, [&](TensorId id) { return is_open(source(id)); });
        if (waits && n.place == Place::free) {
          waiting_.push_back(i);  // a layer may still read it
          continue;
        }
        if (waits) close();
        out_.actions.push_back({.node = i});
      }
    }
    close();
  }

  bool is_open(TensorId id) const { return made_[id] != none && made_[id] >= first_; }

  void add_layer(std::size_t l) {
    NetworkLayer& layer = out_.network[l];
    const TensorId input = out_.layers[l].input;
    const bool previous = l > 0 && made_[input] == l - 1 && takes_from(l);
    layer.input = previous ? InputFrom::previous : InputFrom::host;
    if (is_open(input) && !previous) close();
    made_[out_.layers[l].output] = l;
    last_ = l + 1;
  }

  bool takes_from(std::size_t l) const {
    return laid_out(out_.network[l]).takes(laid_out(out_.network[l - 1]).out_shape());
  }

  void close() {
    if (last_ > first_)
      out_.actions.push_back({.on_array = true, .first = first_, .layers = last_ - first_});
    first_ = last_;
    for (const std::size_t i : waiting_) out_.actions.push_back({.node = i});
    waiting_.clear();
  }

  const Request& request_;
  const std::map<std::size_t, std::string>& left_out_;
  const Graph& graph_;
  Lowering out_;
  std::vector<int> readers_;
  std::map<std::size_t, NetworkLayer> of_node_;
  std::map<std::size_t, TensorId> output_;     // of a node's layer
  std::map<std::size_t, int> offset_;          // of its results
  std::map<std::size_t, std::size_t> joined_;  // node to the node of its layer
  std::set<std::size_t> no_steps_;             // thresholds that no layer implements

  static constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::size_t> made_;     // by tensor: the layer that makes it
  std::size_t first_ = 0, last_ = 0;  // collected layers
  std::vector<std::size_t> waiting_;  // nodes without work that follow collected layers
};

config::Violation nothing(const Lowering& l) {
  std::string text;
  for (std::size_t i = 0; i < l.nodes.size() && i < 4; ++i)
    text += fmt::format("; {}: {}", l.graph->nodes[i].name, l.nodes[i].why);
  return {Code::nothing_on_array, "graph", "the graph has no node that the array computes",
          "it needs a convolution or a dense layer of 8 bits" + text, true};
}

}  // namespace

const char* name(Place place) {
  switch (place) {
    case Place::array:
      return "array";
    case Place::joined:
      return "joined";
    case Place::free:
      return "free";
    case Place::host:
      return "host";
  }
  return "";
}

bool Lowering::operator==(const Lowering& o) const {
  return *graph == *o.graph && nodes == o.nodes && network == o.network && layers == o.layers &&
         actions == o.actions;
}

Lowering lower(const Request& request, const std::map<std::size_t, std::string>& left_out) {
  return Lowerer(request, left_out).lowered();
}

Request with_layers(const Request& request) {
  Request all = request;
  if (!request.graph || !request.graph->graph) return all;
  all.network = lower(request).network;
  all.graph.reset();
  return all;
}

config::Violations check_graph(const Request& r) {
  if (!r.graph) {
    if (!r.network.empty()) return {};
    return {{Code::missing_key, "network", "is missing",
             "give a list of layers, or \"graph\" with the file of a trained network"}};
  }
  config::Violations all;
  if (!r.network.empty())
    all.push_back(
        {Code::conflicting_keys, "graph", "is given beside \"network\"", "give one or the other"});
  if (r.graph->wrong) {
    all.push_back(*r.graph->wrong);
    all.back().key = "graph";
  } else if (const Lowering l = lower(r); l.network.empty()) {
    all.push_back(nothing(l));
  }
  if (r.requantise != Requantise::float32)
    all.push_back({Code::conflicting_keys, "graph",
                   "is given, but the array requantises with a fixed multiplier",
                   "set \"requantise\" to \"float32\""});
  if (r.batched_fc)
    all.push_back({Code::conflicting_keys, "batched_fc", "is true, but a graph runs image by image",
                   "set it to false"});
  if (r.weights_from)
    all.push_back({Code::key_without_use, "weights_from",
                   "is given, but the graph has weights of its own", "remove it"});
  return all;
}

Program program_of_graph(const Request& request) {
  std::map<std::size_t, std::string> left_out;
  for (;;) {
    auto lowering = std::make_shared<Lowering>(lower(request, left_out));
    if (lowering->network.empty()) throw config::Refusal(nothing(*lowering));
    Request typed = request;
    typed.graph.reset();
    typed.network = lowering->network;
    try {
      const ArrayPlan p = plan(hardware_of(typed));
      Program program = compile(p, jobs_of(typed, p));
      program.lowering = std::move(lowering);
      return program;
    } catch (const Refusal& e) {
      const auto layer = std::ranges::find(typed.network, e.layer, &NetworkLayer::name);
      if (layer == typed.network.end())
        throw config::Refusal({e.code(), e.key.empty() || e.key == "network" ? "graph" : e.key,
                               e.message, e.required, true});
      const auto number = static_cast<std::size_t>(layer - typed.network.begin());
      const std::size_t node = lowering->layers[number].node;
      const bool inexact =
          e.code() == Code::accumulator_overflow || e.code() == Code::beyond_float32;
      if (inexact && request.inexact == Inexact::host) {
        left_out[node] = e.message;
        continue;
      }
      throw config::Refusal(
          {e.code(), "graph",
           fmt::format("node {}: {}", lowering->graph->nodes[node].name, e.message),
           inexact ? "set \"inexact\" to \"host\" to leave such nodes to the host" : e.required,
           true});
    }
  }
}

}  // namespace kumiki::gen::array
