// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/lut_matrix.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/blocks/const_matrix/build.h"
#include "gen/blocks/const_matrix/plan.h"
#include "gen/blocks/const_matrix/stages.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr int carry_block = 8;  // positions of a CARRY8
constexpr int most_word_bits = 16;
constexpr std::int64_t most_products = 1 << 20, most_products_at_length = 1 << 13;

// Channels of other groups get factors of 0.
std::vector<const_matrix::Factors> rows_of(const graph::Conv& conv, std::int64_t inputs) {
  const std::int64_t outputs = std::ssize(conv.bias), terms = inputs / conv.groups,
                     of_group = outputs / conv.groups;
  std::vector<const_matrix::Factors> rows;
  for (std::int64_t out = 0; out < outputs; ++out) {
    const_matrix::Factors& row = rows.emplace_back(static_cast<std::size_t>(inputs), 0);
    std::copy_n(conv.weights.begin() + out * terms, terms, row.begin() + out / of_group * terms);
  }
  return rows;
}

bool are_signs(const graph::Thresholds& t) {
  if (t.lowest != -1 || t.levels != 2) return false;
  for (std::size_t i = 0; i + 1 < t.begins.size(); i += 2)
    if (t.begins[i] != t.begins[i + 1]) return false;
  return true;
}

constexpr arith::Format sign_bit{1, false};

}  // namespace

arith::Format LutMatrix::sums() const {
  return {network.output_bits(), network.output_is_signed()};
}

arith::Interval LutMatrix::range(std::size_t row) const {
  const arith::Interval number = signs ? sign_bit.range() : numbers.range();
  arith::Interval sum;
  for (const std::int64_t factor : rows[row]) sum = sum + number * arith::Exact{factor};
  return sum;
}

// Pools and joins hand numbers on unchanged.
bool are_signs(const graph::Graph& g, graph::TensorId tensor) {
  const auto made = std::ranges::find(g.nodes, tensor, &graph::Node::output);
  if (made == g.nodes.end()) return false;
  if (const auto* steps = std::get_if<graph::Thresholds>(&made->op)) return are_signs(*steps);
  return hands_on(made->op) &&
         std::ranges::all_of(made->inputs, [&](graph::TensorId id) { return are_signs(g, id); });
}

int levels_in_luts(const const_matrix::Network& network) {
  return const_matrix::levels_between(network, carry_block);
}

int LutMatrix::levels() const { return levels_in_luts(network); }

std::int64_t LutMatrix::chains() const { return network.count(const_matrix::Kind::chain); }

std::int64_t LutMatrix::tables() const { return network.count(const_matrix::Kind::table); }

std::string LutMatrix::text() const {
  return fmt::format("{} x {} constants{}, {} chains, {} tables", outputs(), inputs(),
                     signs ? " of signs" : "", chains(), tables());
}

std::string why_not_in_luts(const graph::Graph& g, const graph::Node& node) {
  const auto& conv = std::get<graph::Conv>(node.op);
  const graph::Tensor& in = g.tensors[node.inputs[0]];
  const graph::Window& w = conv.window;
  if (w.kernel != std::array{1, 1})
    return fmt::format("its kernel is {}; it must be 1x1", fmt::join(w.kernel, "x"));
  if (w.stride != std::array{1, 1})
    return fmt::format("its stride is {}; it must be 1x1", fmt::join(w.stride, "x"));
  if (w.before != std::array{0, 0} || w.after != std::array{0, 0})
    return "it pads its map; it must have no padding";
  if (in.format.bits > most_word_bits)
    return fmt::format("its input has {} bits; it must have at most {}", in.format.bits,
                       most_word_bits);
  const std::int64_t products = in.shape[0] * std::ssize(conv.bias);
  if (products > most_products)
    return fmt::format("it has {} products a pixel; it must have at most {}", products,
                       most_products);
  return {};
}

LutMatrix lut_matrix(const graph::Graph& g, const graph::Node& node) {
  const graph::Tensor& in = g.tensors[node.inputs[0]];
  const_matrix::Task task{.rows = rows_of(std::get<graph::Conv>(node.op), in.shape[0]),
                          .input = in.format};
  // The time to find common sums grows faster than the matrix.
  if (std::ssize(task.rows) * in.shape[0] > most_products_at_length) task.effort = 0;
  LutMatrix m{.rows = {}, .numbers = in.format, .signs = are_signs(g, node.inputs[0]), .lacks = {}};
  if (m.signs) {
    task.input = sign_bit;
    for (const_matrix::Factors& row : task.rows) {
      m.lacks.push_back(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
      for (std::int64_t& factor : row) factor *= -2;
    }
  }
  m.rows = task.rows;
  // The sums are narrow, and the request sets no latency, so a solution always exists.
  m.network = solve(task)->network;
  return m;
}

std::vector<UInt> build(Scope& s, const LutMatrix& m, const std::vector<UInt>& numbers,
                        const std::vector<Net>& enables) {
  if (!m.signs) return const_matrix::build_network(s, m.network, numbers, enables);
  std::vector<UInt> signs;
  for (const UInt& number : numbers) signs.push_back(bits(s, {number.msb()}));
  return const_matrix::build_network(s, m.network, signs, enables);
}

std::vector<std::uint64_t> results(const LutMatrix& m, const std::vector<std::uint64_t>& numbers) {
  std::vector<std::uint64_t> all;
  for (const const_matrix::Factors& row : m.rows) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      sum += row[i] * (m.signs ? static_cast<std::int64_t>(numbers[i] >> (m.numbers.bits - 1))
                               : arith::value_of(numbers[i], m.numbers));
    all.push_back(arith::raw_of(sum, m.sums()));
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
