// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/arith/scale.h"
#include "ir/error.h"

namespace kumiki::gen::graph {
namespace {

constexpr int most_result_bits = 16;

std::string size_of(const std::array<int, 2>& a) { return fmt::format("{}x{}", a[0], a[1]); }

// The rule with a factor of at most so many bits, rounded to the nearest. It is not exact, but as
// near as possible with the zero point in a word of 64 bits. From 2^17 on every sum is clamped.
arith::SlicedRule nearest(const arith::FloatRule& rule, int bits) {
  constexpr double most_scale = 0x1p17;
  const int most_shift = 62 - arith::signed_bits(rule.range);
  auto [factor, shift] = arith::shortest_scale(
      std::min(static_cast<double>(rule.scale), most_scale), bits, most_shift);
  for (; shift < 0; ++shift) factor *= 2;
  return arith::even_rule(factor, shift, rule.zero_point, rule.range);
}

// The proof: results begin at the same sums in the form and in onnxruntime. It is independent of
// the search for the form. A rounded product is onnxruntime's rule itself.
std::vector<arith::Apart> differing(const arith::FloatRule& rule, const Requantiser& r) {
  const auto given = [&](std::int64_t sum) { return arith::requantised(r.rule, sum); };
  const arith::Steps wanted = arith::steps_of(rule, r.sums);
  if (r.form == Form::product || !difference(wanted, given)) return {};
  return arith::apart(wanted, arith::steps_of(given, r.sums));
}

void plan_channels(const Graph& g, const Node& n, std::optional<int> factor_bits, NodePlan& p) {
  const auto rules = rules_of(g, n);
  if (rules.empty()) return;
  if (p.format.bits > most_result_bits) {
    // A result of so many bits has too many steps to compare, but unscaled sums need no comparison.
    if (!std::ranges::equal(rules, reachable_of(g, n), is_as_it_is))
      throw DesignError(
          code::out_of_range,
          fmt::format("node {} requantises its sums to {} bits; they must have at most {}", n.name,
                      p.format.bits, most_result_bits));
    p.channels = requantisers(g, n);
    return;
  }
  p.channels = factor_bits ? requantisers(g, n, *factor_bits) : requantisers(g, n);
  for (std::size_t c = 0; c < p.channels.size(); ++c) {
    Requantiser& r = p.channels[c];
    if (factor_bits && r.form == Form::product) {
      r.rule = nearest(rules[c], *factor_bits);
      r.form = r.rule.factor == 1 ? Form::shift : Form::factor;
    }
    auto sums = differing(rules[c], r);
    if (!sums.empty()) p.unequal.push_back({c, std::move(sums)});
  }
}

}  // namespace

std::string description(const Operator& op) {
  std::string text(name_of(op));
  std::visit(
      [&](const auto& o) {
        if constexpr (requires { o.groups; })
          if (o.groups > 1) text += fmt::format(" in {} groups", o.groups);
        if constexpr (requires { o.integers; })
          if (o.integers == 1) text += ", integers";
      },
      op);
  const Window* window = window_of(op);
  if (window == nullptr) return text;
  text += " " + size_of(window->kernel);
  if (window->stride != std::array{1, 1}) text += " stride " + size_of(window->stride);
  if (window->dilation != std::array{1, 1}) text += " dilation " + size_of(window->dilation);
  return text;
}

std::uint64_t products_of(const Graph& graph, const Node& node) {
  const Shape& made = graph.tensors[node.output].shape;
  if (const auto* conv = std::get_if<Conv>(&node.op))
    return conv->weights.size() * static_cast<std::uint64_t>(made[1]) *
           static_cast<std::uint64_t>(made[2]);
  if (const auto* matmul = std::get_if<MatMul>(&node.op))
    return count(made) * static_cast<std::uint64_t>(sizes_of(*matmul, ends_of(graph, node)).terms);
  return 0;
}

int NodePlan::sum_bits() const {
  int bits = 0;
  for (const Requantiser& r : channels) bits = std::max(bits, r.sum_bits());
  return bits;
}

void Forms::add(const std::vector<Requantiser>& channels) {
  for (const Requantiser& r : channels) {
    if (r.form == Form::product)
      ++products;
    else
      ++factors[r.form == Form::shift ? 0 : r.factor_bits()];
  }
}

std::size_t Forms::all() const {
  return std::accumulate(factors.begin(), factors.end(), products,
                         [](std::size_t n, const auto& f) { return n + f.second; });
}

std::string to_text(const Forms& forms) {
  std::vector<std::string> parts, factors;
  std::size_t shifts = 0, with = 0;
  for (const auto& [bits, n] : forms.factors) {
    if (bits == 0) {
      shifts = n;
      continue;
    }
    with += n;
    factors.push_back(fmt::format("{} ({})", bits, n));
  }
  const auto many = [](std::size_t n, const char* one, const char* more) {
    return fmt::format("{} {}", n, n == 1 ? one : more);
  };
  if (shifts > 0) parts.push_back(many(shifts, "power of two", "powers of two"));
  if (factors.size() == 1)
    parts.push_back(fmt::format("{} of {} bits", many(with, "factor", "factors"),
                                forms.factors.rbegin()->first));
  else if (!factors.empty())
    parts.push_back(fmt::format("{} factors of {} bits", with, fmt::join(factors, ", ")));
  if (forms.products > 0)
    parts.push_back(fmt::format("{} with the product rounded to 24 bits", forms.products));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::uint64_t NetworkPlan::products() const {
  std::uint64_t n = 0;
  for (const NodePlan& p : nodes) n += p.products;
  return n;
}
std::uint64_t NetworkPlan::weights() const {
  std::uint64_t n = 0;
  for (const NodePlan& p : nodes) n += p.weights;
  return n;
}
Forms NetworkPlan::forms() const {
  Forms all;
  for (const NodePlan& p : nodes) all.add(p.channels);
  return all;
}
bool NetworkPlan::is_equal() const {
  return std::ranges::all_of(nodes, [](const NodePlan& p) { return p.unequal.empty(); });
}

NetworkPlan plan(const Graph& graph, std::optional<int> factor_bits) {
  NetworkPlan all{.name = graph.name, .nodes = {}};
  for (const Node& n : graph.nodes) {
    const Tensor& out = graph.tensors[n.output];
    NodePlan p{.name = n.name,
               .op = description(n.op),
               .inputs = {},
               .formats = {},
               .result = out.shape,
               .format = out.format,
               .channels = {},
               .unequal = {}};
    for (const TensorId id : n.inputs) {
      p.inputs.push_back(graph.tensors[id].shape);
      p.formats.push_back(graph.tensors[id].format);
    }
    if (const auto* conv = std::get_if<Conv>(&n.op)) p.weights = conv->weights.size();
    p.products = products_of(graph, n);
    plan_channels(graph, n, factor_bits, p);
    all.nodes.push_back(std::move(p));
  }
  return all;
}

}  // namespace kumiki::gen::graph
