// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/network.h"

#include <algorithm>
#include <bit>

#include "gen/blocks/const_matrix/table.h"

namespace kumiki::gen::const_matrix {

int bits_of(const Interval& range) {
  const arith::Exact most = range.lo < 0 ? std::max(range.hi, ~range.lo) : range.hi;
  const auto high = static_cast<std::uint64_t>(most >> 64);
  const int bits =
      high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(most));
  return range.lo < 0 ? 1 + bits : std::max(1, bits);
}

int Node::bits() const { return bits_of(range); }

std::uint32_t Network::input_count() const {
  return static_cast<std::uint32_t>(count(Kind::input));
}

std::int64_t Network::count(Kind kind) const {
  return std::ranges::count(nodes, kind, &Node::kind);
}

namespace {

Interval range_of(const Network& network, const std::optional<Operand>& output) {
  if (!output) return {0, 0};
  const Interval range = shifted(network.nodes[output->node].range, output->shift);
  return output->negative ? -range : range;
}

// Computes every node and output as `Value`, with `add` for +, and `times` for a shift and a sign.
template <class Value, class Times, class Add>
std::vector<Value> follow(const Network& network, std::vector<Value> values, const Value& zero,
                          const Times& times, const Add& add) {
  for (const Node& node : network.nodes) {
    if (node.kind == Kind::input) continue;
    Value sum = zero;
    for (const Operand& o : node.of) add(sum, times(values[o.node], o));
    values.push_back(std::move(sum));
  }
  std::vector<Value> out;
  for (const auto& o : network.outputs) out.push_back(o ? times(values[o->node], *o) : zero);
  return out;
}

std::int64_t weight(const Operand& o) {
  return (o.negative ? -1 : 1) * (std::int64_t{1} << o.shift);
}

}  // namespace

int Network::output_bits() const {
  Interval all;
  for (const auto& o : outputs) all = hull(all, range_of(*this, o));
  return bits_of(all);
}

bool Network::output_is_signed() const {
  return std::ranges::any_of(outputs, [&](const auto& o) { return range_of(*this, o).lo < 0; });
}

std::optional<Chain> chain_of(std::vector<Operand> of, int bits) {
  const auto negatives = std::ranges::count(of, true, &Operand::negative);
  if (negatives > 2) return std::nullopt;
  // Positive ones first if shifts are equal: the operand that passes by must be positive.
  std::ranges::stable_sort(of, {}, [](const Operand& o) { return std::pair(o.shift, o.negative); });
  Chain c{.of = of, .end = bits};
  const bool passes = !of[0].negative && of.size() > 1;
  c.start = of[passes ? 1 : 0].shift;
  c.three = of.size() > 2 ? of[2].shift : bits;
  // The lowest negative operand is at the start. If it is the only one, it may also be the third.
  for (const Operand& o : of) {
    if (!o.negative) continue;
    if (!c.carry && o.shift == c.start) {
      c.carry = true;
    } else {
      c.majority = true;
      c.three = o.shift;
    }
  }
  c.start = std::min(c.start, bits);
  return c;
}

int sites(const Network& network, const Node& node) {
  if (node.kind == Kind::input) return 0;
  if (node.kind == Kind::table) return table_bits(network, node).sites();
  return chain_of(node.of, node.bits())->sites();
}

int sites(const Network& network) {
  int all = 0;
  for (const Node& node : network.nodes) all += sites(network, node);
  return all;
}

std::vector<Factors> output_factors(const Network& network) {
  const std::size_t inputs = network.input_count();
  std::vector<Factors> values(inputs, Factors(inputs, 0));
  for (std::size_t i = 0; i < inputs; ++i) values[i][i] = 1;
  return follow(
      network, values, Factors(inputs, 0),
      [](Factors factors, const Operand& o) {
        for (auto& f : factors) f *= weight(o);
        return factors;
      },
      [](Factors& sum, const Factors& more) {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
      });
}

std::vector<std::int64_t> evaluate(const Network& network, const std::vector<std::int64_t>& x) {
  return follow(
      network, x, std::int64_t{0},
      [](std::int64_t value, const Operand& o) { return value * weight(o); },
      [](std::int64_t& sum, std::int64_t more) { sum += more; });
}

}  // namespace kumiki::gen::const_matrix
