// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/stages.h"

#include <algorithm>

namespace kumiki::gen::const_matrix {
namespace {

int own_levels(const Node& node) {
  return node.kind == Kind::table ? 1 : chain_of(node.of, node.bits())->levels();
}

bool ends_stage(const Node& node) {
  return node.kind == Kind::chain && chain_of(node.of, node.bits())->has_majority();
}

// The register bits in which a node waits: a constant needs none.
std::int64_t waiting_bits(const Node& node) { return node.range.span() > 0 ? node.bits() : 0; }

// Places nodes as early as possible.
void place_early(Network& network, int levels) {
  for (Node& node : network.nodes) {
    if (node.kind == Kind::input) continue;
    node.stage = node.depth = 0;
    for (const Operand& o : node.of) node.stage = std::max(node.stage, network.nodes[o.node].stage);
    for (const Operand& o : node.of)
      if (network.nodes[o.node].stage == node.stage)
        node.depth = std::max(node.depth, network.nodes[o.node].depth);
    const int own = own_levels(node);
    if (levels > 0 && node.depth + own > levels) {
      ++node.stage;
      node.depth = 0;
    }
    node.depth += own;
    if (levels > 0 && ends_stage(node)) node.depth = levels;
  }
}

// The last stage in which each node is read; `network.latency` if an output reads it.
std::vector<int> last_reads(const Network& network) {
  std::vector<int> last(network.nodes.size(), 0);
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const Node& node = network.nodes[i];
    last[i] = std::max(last[i], node.stage);
    for (const Operand& o : node.of) last[o.node] = std::max(last[o.node], node.stage);
  }
  for (const auto& o : network.outputs)
    if (o) last[o->node] = std::max(last[o->node], network.latency);
  return last;
}

// Moves a node that waits for its first reader to a later stage if its operands have fewer bits.
void place_late(Network& network) {
  std::vector<int> first(network.nodes.size(), network.latency);
  std::vector<int> last = last_reads(network);
  for (std::size_t i = network.nodes.size(); i-- > 0;) {
    Node& node = network.nodes[i];
    const int later = first[i] - 1;
    if (node.kind != Kind::input && later > node.stage) {
      std::int64_t saved = waiting_bits(node) * (later - node.stage);
      for (std::size_t k = 0; k < node.of.size(); ++k) {
        const auto read = node.of[k].node;
        const auto same = [&](const Operand& o) { return o.node == read; };
        if (std::any_of(node.of.begin(), node.of.begin() + static_cast<std::ptrdiff_t>(k), same))
          continue;
        saved -= waiting_bits(network.nodes[read]) * std::max(0, later - last[read]);
      }
      if (saved > 0) {
        node.stage = later;
        node.depth = own_levels(node);
        for (const Operand& o : node.of) last[o.node] = std::max(last[o.node], later);
      }
    }
    for (const Operand& o : node.of) first[o.node] = std::min(first[o.node], node.stage);
  }
}

}  // namespace

void place_registers(Network& network, int levels) {
  network.latency = 0;
  place_early(network, levels);
  if (levels == 0) return;
  int last = 0;
  for (const auto& o : network.outputs)
    if (o) last = std::max(last, network.nodes[o->node].stage);
  network.latency = last + 1;
  place_late(network);
}

int levels_between(const Network& network, int block) {
  std::vector<int> level;
  int most = 0;
  for (const Node& node : network.nodes) {
    int own = 0;
    for (const Operand& o : node.of)
      if (network.nodes[o.node].stage == node.stage) own = std::max(own, level[o.node]);
    if (node.kind == Kind::table) ++own;
    if (node.kind == Kind::chain) {
      const Chain c = *chain_of(node.of, node.bits());
      own += c.levels() - 1 + (c.sites() + block - 1) / block;
    }
    level.push_back(own);
    most = std::max(most, own);
  }
  return most;
}

std::int64_t flip_flops(const Network& network) {
  const std::vector<int> until = last_reads(network);
  std::int64_t all = 0;
  for (std::size_t i = 0; i < network.nodes.size(); ++i)
    all += (until[i] - network.nodes[i].stage) * waiting_bits(network.nodes[i]);
  return all;
}

}  // namespace kumiki::gen::const_matrix
