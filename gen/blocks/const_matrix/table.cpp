// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/table.h"

#include <algorithm>

#include "gen/arith/format.h"

namespace kumiki::gen::const_matrix {
namespace {

std::vector<std::uint32_t> nodes_of(const std::vector<Operand>& of) {
  std::vector<std::uint32_t> nodes;
  for (const Operand& o : of) nodes.push_back(o.node);
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

int source_bits(const Network& network, const std::vector<Operand>& of) {
  int all = 0;
  for (const auto node : nodes_of(of)) all += network.nodes[node].bits();
  return all;
}

TableBits table_bits(const Network& network, const Node& node) {
  TableBits t;
  const auto nodes = nodes_of(node.of);
  for (const auto n : nodes)
    for (int bit = 0; bit < network.nodes[n].bits(); ++bit) t.sources.push_back({n, bit});
  const auto inputs = static_cast<unsigned>(t.sources.size());
  t.bits.assign(static_cast<std::size_t>(node.bits()), Table{.inputs = inputs});
  for (unsigned index = 0; index < 1u << inputs; ++index) {
    std::int64_t sum = 0;
    for (const Operand& o : node.of) {
      const Node& source = network.nodes[o.node];
      std::uint64_t raw = 0;
      for (unsigned i = 0; i < inputs; ++i)
        if (t.sources[i].node == o.node) raw |= std::uint64_t{index >> i & 1} << t.sources[i].bit;
      const std::int64_t value = arith::value_of(raw, {source.bits(), source.is_signed()});
      sum += (o.negative ? -value : value) * (std::int64_t{1} << o.shift);
    }
    for (std::size_t bit = 0; bit < t.bits.size(); ++bit)
      t.bits[bit].bits |= (static_cast<std::uint64_t>(sum) >> bit & 1) << index;
  }
  return t;
}

bool TableBits::needs_lut(std::size_t bit) const {
  const auto inputs = static_cast<unsigned>(sources.size());
  const std::uint64_t all =
      inputs == 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1u << inputs)) - 1;
  const std::uint64_t table = bits[bit].bits;
  if (table == 0 || table == all) return false;
  for (unsigned i = 0; i < inputs; ++i) {
    std::uint64_t wire = 0;
    for (unsigned index = 0; index < 1u << inputs; ++index)
      wire |= std::uint64_t{index >> i & 1} << index;
    if (table == wire) return false;
  }
  return true;
}

int TableBits::sites() const {
  int luts = 0;
  for (std::size_t bit = 0; bit < bits.size(); ++bit) luts += needs_lut(bit) ? 1 : 0;
  return can_pair() ? (luts + 1) / 2 : luts;
}

}  // namespace kumiki::gen::const_matrix
