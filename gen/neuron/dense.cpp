// SPDX-License-Identifier: Apache-2.0
#include "gen/neuron/dense.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gen/compressor/build.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::gen::neuron {

using namespace compressor;

namespace {

// More shapes than this are solved as one that has room for any constant.
constexpr std::size_t most_shapes = 6;

std::uint32_t threshold_of(const DenseRequest& r, std::size_t neuron) {
  if (const auto* all = std::get_if<std::uint32_t>(&r.threshold)) return *all;
  return std::get<1>(r.threshold)[neuron];
}

void check(const DenseRequest& r) {
  if (r.inputs == 0 || r.weights.empty())
    throw DesignError("a dense layer without inputs or neurons: at least one of each is legal");
  for (const auto& row : r.weights)
    if (row.size() != r.inputs)
      throw DesignError(fmt::format("a row of {} weights for {} inputs: one an input is legal",
                                    row.size(), r.inputs));
  const auto* list = std::get_if<1>(&r.threshold);
  if (list && list->size() != r.weights.size())
    throw DesignError(fmt::format("{} thresholds for {} neurons: one, or one a neuron, is legal",
                                  list->size(), r.weights.size()));
  for (std::size_t m = 0; m < r.weights.size(); ++m)
    if (threshold_of(r, m) > r.inputs + 1)
      throw DesignError(
          fmt::format("a threshold of {} for {} inputs: 0 (always one) to {} (never) "
                      "is legal",
                      threshold_of(r, m), r.inputs, r.inputs + 1));
}

unsigned bits_of(unsigned size) { return static_cast<unsigned>(std::bit_width(size)); }
unsigned luts_of(unsigned size) { return size == 1 ? 0 : size <= 3 ? 1 : 3; }

// The counters of all groups, and what every neuron takes of them.
void plan_counts(DensePlan& plan) {
  const DenseRequest& r = plan.request;
  std::map<SharedCount, std::size_t> known;
  plan.neurons.assign(r.weights.size(), {});
  for (std::size_t m = 0; m < r.weights.size(); ++m) {
    DenseNeuron& neuron = plan.neurons[m];
    neuron.bias = (std::int64_t{1} << plan.carry_column) - threshold_of(r, m);
    for (unsigned first = 0; first < r.inputs; first += plan.group) {
      const unsigned size = std::min(plan.group, r.inputs - first);
      const std::uint32_t all = (1u << size) - 1;
      std::uint32_t inverted = 0;  // x xnor 0 is the inverse of x
      for (unsigned i = 0; i < size; ++i) inverted |= (r.weights[m][first + i] ? 0u : 1u) << i;
      const bool complement = inverted & 1;
      if (complement) inverted ^= all;
      auto [at, is_new] = known.emplace(SharedCount{first, size, inverted}, plan.counts.size());
      if (is_new) plan.counts.push_back(at->first);
      neuron.uses.push_back({at->second, complement});
      // size - c = (2^bits - 1 - c) - (2^bits - 1 - size).
      if (complement) neuron.bias -= (std::int64_t{1} << bits_of(size)) - 1 - size;
    }
  }
}

Shape shape_of(const DensePlan& plan, const DenseNeuron& neuron, bool any_constant) {
  Shape s;
  s.bits.assign(plan.carry_column + 1, 0);
  s.pairs = s.bits;
  for (const auto& use : neuron.uses)
    for (unsigned b = 0; b < bits_of(plan.counts[use.count].size); ++b) ++s.bits[b];
  for (unsigned c = 0; c <= plan.carry_column; ++c)
    s.bits[c] += (any_constant && c < plan.carry_column) || (neuron.bias >> c & 1);
  return s;
}

void plan_trees(DensePlan& plan) {
  std::set<std::vector<unsigned>> shapes;
  for (const DenseNeuron& n : plan.neurons) shapes.insert(shape_of(plan, n, false).bits);
  const bool any_constant = shapes.size() > most_shapes;
  TreeOptions options = plan.request;
  options.finish = Finish::carry;
  for (DenseNeuron& n : plan.neurons) {
    const Shape shape = shape_of(plan, n, any_constant);
    auto at = std::find_if(plan.trees.begin(), plan.trees.end(),
                           [&](const TreePlan& t) { return t.shape == shape; });
    n.tree = static_cast<std::size_t>(at - plan.trees.begin());
    if (at == plan.trees.end()) plan.trees.push_back(plan_tree(shape, options));
  }
}

DensePlan plan_group(const DenseRequest& r, unsigned group) {
  DensePlan plan{.request = r, .group = group};
  std::uint32_t most = 0;
  for (std::size_t m = 0; m < r.weights.size(); ++m) most = std::max(most, threshold_of(r, m));
  plan.carry_column = static_cast<unsigned>(std::bit_width(r.inputs + most));
  plan_counts(plan);
  plan_trees(plan);
  unsigned deepest = 0;
  for (const TreePlan& t : plan.trees) deepest = std::max(deepest, latency(t, r.pipeline));
  // Shared counters have a register of their own.
  plan.latency = deepest + (group > 1 && r.pipeline > 0);
  return plan;
}

}  // namespace

unsigned DensePlan::first_layer_luts() const {
  unsigned n = 0;
  for (const SharedCount& c : counts) n += luts_of(c.size);
  return n;
}

unsigned DensePlan::luts() const {
  std::vector<unsigned> of_tree;
  for (const TreePlan& t : trees) of_tree.push_back(audit(t).luts());
  unsigned n = first_layer_luts();
  for (const DenseNeuron& neuron : neurons) n += of_tree[neuron.tree];
  return n;
}

DensePlan plan_dense(const DenseRequest& r) {
  check(r);
  ir::require_at_most(ir::limits().weights, std::uint64_t{r.inputs} * r.weights.size(), "the layer",
                      "weights", "--max-weights");
  std::vector<unsigned> groups{1, 3, 6};
  if (r.sharing == Sharing::none) groups = {1};
  if (r.sharing == Sharing::three) groups = {3};
  if (r.sharing == Sharing::six) groups = {6};
  DensePlan best = plan_group(r, groups[0]);
  for (std::size_t i = 1; i < groups.size(); ++i)
    if (DensePlan next = plan_group(r, groups[i]); next.luts() < best.luts())
      best = std::move(next);
  ir::require_at_most(ir::limits().cells, best.luts(), "the layer", "LUTs", "--max-cells");
  return best;
}

Datapath DensePlan::datapath() const {
  const auto m = static_cast<std::uint32_t>(neurons.size());
  return {.module = fmt::format("bnn_dense{}x{}", m, request.inputs),
          .about = fmt::format("{} neurons of {} inputs, groups of {}: {} counters shared", m,
                               request.inputs, group, group > 1 ? counts.size() : 0),
          .in = {{"x", request.inputs, 1}},
          .out = {"y", m, 1},
          .latency = latency};
}

}  // namespace kumiki::gen::neuron
