// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/lowering/lowerer.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/config/kind.h"
#include "gen/layers/array/setup.h"

namespace kumiki::gen::array {
namespace {

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

}  // namespace

Lowerer::Lowerer(const Request& request, const std::map<std::size_t, std::string>& left_out)
    : request_(request), left_out_(left_out), graph_(*request.graph->graph) {
  out_.graph = request.graph->graph;
  out_.nodes.resize(graph_.nodes.size());
  readers_.resize(graph_.tensors.size());
  for (const Node& n : graph_.nodes)
    for (const TensorId id : n.inputs) ++readers_[id];
  for (const TensorId id : graph_.outputs) ++readers_[id];
}

Lowering Lowerer::lowered() {
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
    if (!joined_.contains(i) && !left_.contains(i)) place(i);
  for (const auto& step : last_steps_) step();
  name_layers();
  schedule();
  return std::move(out_);
}

void Lowerer::place(std::size_t i) {
  if (const auto left = left_out_.find(i); left != left_out_.end()) return leave(i, left->second);
  std::visit(
      [&](const auto& op) {
        if constexpr (requires { to_array(*this, i, op); }) {
          to_array(*this, i, op);
        } else if (is_free(op)) {
          out_.nodes[i] = {.place = Place::free, .why = "the same numbers in the same order"};
        } else {
          leave(i, std::string(graph::left_to_host(op)));
        }
      },
      graph_.nodes[i].op);
}

// Names and order follow when all layers are known.
void Lowerer::add(std::size_t i, NodeLayer found) {
  LoweredNode& to = out_.nodes[i];
  to.why = std::move(found.why);
  if (!found.layer) return;
  to.place = Place::array;
  of_node_[i] = std::move(*found.layer);
  offset_[i] = found.output_offset;
  output_[i] = graph_.nodes[i].output;
}

void Lowerer::join(std::size_t node, std::size_t maker, const std::string& how) {
  out_.nodes[node].place = Place::joined;
  out_.nodes[node].why = how;
  joined_[node] = maker;
  output_[maker] = graph_.nodes[node].output;
}

void Lowerer::leave(std::size_t node, const std::string& why) {
  out_.nodes[node].why = why;
  left_.insert(node);
}

std::int64_t Lowerer::reach() const {
  if (request_.reach) return *request_.reach;
  std::int64_t most = 1;
  for (const auto& [node, layer] : of_node_)
    if (layer.kind() == Kind::conv) {
      const ConvShape s = shape_of(layer).conv;
      most = std::max<std::int64_t>(
          most, phases_of(static_cast<int>(s.kernel), static_cast<int>(s.stride),
                          static_cast<int>(s.dilation))
                    .reach());
    }
  return most;
}

// Joins a pool to the layer that makes its map, and returns "", or the reason against it.
std::string Lowerer::pooled(std::size_t i, const PoolRequest& pool) {
  const TensorId input = graph_.nodes[i].inputs[0];
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
  layer.pool = pool;
  join(i, maker->first, "pooled as results leave");
  return "";
}

void Lowerer::pool(std::size_t i, const PoolRequest& pool) {
  const std::string why = pooled(i, pool);
  if (!why.empty()) leave(i, why);
}

void Lowerer::name_layers() {
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
TensorId Lowerer::source(TensorId id) const {
  for (auto n = graph_.nodes.rbegin(); n != graph_.nodes.rend(); ++n)
    if (n->output == id && is_free(n->op)) id = n->inputs[0];
  return id;
}

// Collects layers until the host needs one of their results, or a layer needs a collected result
// that is not the previous one.
void Lowerer::schedule() {
  made_.assign(graph_.tensors.size(), none);
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const LoweredNode& n = out_.nodes[i];
    if (n.place == Place::array) {
      add_to_start(n.layer);
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

void Lowerer::add_to_start(std::size_t l) {
  NetworkLayer& layer = out_.network[l];
  const TensorId input = out_.layers[l].input;
  const bool previous = l > 0 && made_[input] == l - 1 && takes_from(l);
  layer.input = previous ? InputFrom::previous : InputFrom::host;
  if (is_open(input) && !previous) close();
  made_[out_.layers[l].output] = l;
  end_ = l + 1;
}

bool Lowerer::takes_from(std::size_t l) const {
  return laid_out(out_.network[l]).takes(laid_out(out_.network[l - 1]).out_shape());
}

void Lowerer::close() {
  if (end_ > first_)
    out_.actions.push_back({.on_array = true, .first = first_, .layers = end_ - first_});
  first_ = end_;
  for (const std::size_t i : waiting_) out_.actions.push_back({.node = i});
  waiting_.clear();
}

}  // namespace kumiki::gen::array
