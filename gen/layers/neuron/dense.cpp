// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/neuron/dense.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/solver/solve.h"
#include "gen/layers/neuron/messages.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::gen::neuron {

using namespace compressor;

std::uint32_t threshold_of(const DenseRequest& r, std::size_t neuron) {
  if (const auto* all = std::get_if<std::uint32_t>(&r.threshold)) return *all;
  return std::get<1>(r.threshold)[neuron];
}

namespace {

// If heaps have more shapes than this, all use one tree with room for any constant.
constexpr std::size_t most_shapes = 6;

void check(const DenseRequest& r) {
  if (r.inputs == 0 || r.weights.empty())
    throw DesignError(
        code::no_inputs,
        "the dense layer has no inputs or no neurons; it must have at least one of each");
  for (const auto& row : r.weights)
    if (row.size() != r.inputs)
      throw DesignError(code::weights_per_input,
                        fmt::format("a row has {} weights for {} inputs; give one for each input",
                                    row.size(), r.inputs));
  const auto* list = std::get_if<1>(&r.threshold);
  if (list && list->size() != r.weights.size())
    throw DesignError(
        code::thresholds_per_neuron,
        fmt::format("there are {} thresholds for {} neurons; give one, or one for each neuron",
                    list->size(), r.weights.size()));
  for (std::size_t m = 0; m < r.weights.size(); ++m)
    if (threshold_of(r, m) > r.inputs + 1)
      throw DesignError(
          code::threshold_unreachable,
          fmt::format("the threshold is {} for {} inputs; it must be 0 (always one) to {} (never)",
                      threshold_of(r, m), r.inputs, r.inputs + 1));
}

Shape shape_of(const DensePlan& plan, const DenseNeuron& neuron, bool any_constant) {
  Shape s;
  s.bits.assign(plan.carry_column + 1, 0);
  s.pairs = s.bits;
  for (const auto& use : neuron.uses)
    for (unsigned b = 0; b < plan.counts[use.count].bits(); ++b) ++s.bits[b];
  for (unsigned c = 0; c <= plan.carry_column; ++c)
    s.bits[c] += (any_constant && c < plan.carry_column) || (neuron.bias >> c & 1);
  return s;
}

// Finds constant neurons (T = 0, or T above the number of inputs) and repeated ones.
void find_simple(DensePlan& plan) {
  const DenseRequest& r = plan.request;
  std::map<std::pair<std::uint32_t, const std::vector<std::uint8_t>*>, std::size_t,
           decltype([](const auto& a, const auto& b) {
             return a.first != b.first ? a.first < b.first : *a.second < *b.second;
           })>
      known;
  plan.neurons.assign(r.weights.size(), {});
  for (std::size_t m = 0; m < r.weights.size(); ++m) {
    const std::uint32_t t = threshold_of(r, m);
    if (t == 0 || t > r.inputs) {
      plan.neurons[m].constant = t == 0;
      continue;
    }
    auto [at, is_new] = known.emplace(std::pair(t, &r.weights[m]), m);
    if (!is_new) plan.neurons[m].like = at->second;
  }
}

// The groups and the heap of every neuron, without trees.
DensePlan plan_group(const DenseRequest& r, unsigned group) {
  DensePlan plan{.request = r, .group = group};
  find_simple(plan);
  std::uint32_t most = 0;
  for (std::size_t m = 0; m < r.weights.size(); ++m)
    if (plan.neurons[m].has_tree()) most = std::max(most, threshold_of(r, m));
  plan.carry_column = static_cast<unsigned>(std::bit_width(r.inputs + most));
  plan_counts(plan);
  return plan;
}

// The shapes of the heaps of all neurons with their own trees.
std::vector<Shape> shapes_of(const DensePlan& plan) {
  std::set<std::vector<unsigned>> shapes;
  for (const DenseNeuron& n : plan.neurons)
    if (n.has_tree()) shapes.insert(shape_of(plan, n, false).bits);
  const bool any_constant = shapes.size() > most_shapes;
  std::vector<Shape> all;
  for (const DenseNeuron& n : plan.neurons) all.push_back(shape_of(plan, n, any_constant));
  return all;
}

// A lower bound of the layer's LUTs for any trees.
double luts_at_least(const DensePlan& plan) {
  std::map<std::vector<unsigned>, double> known;
  double luts = plan.first_layer_luts();
  const auto shapes = shapes_of(plan);
  for (std::size_t m = 0; m < shapes.size(); ++m) {
    if (!plan.neurons[m].has_tree()) continue;
    auto [at, is_new] = known.emplace(shapes[m].bits, 0);
    if (is_new) at->second = luts_bound({.shape = shapes[m], .finish = Finish::carry});
    luts += at->second;
  }
  return luts;
}

void plan_trees(DensePlan& plan) {
  const auto shapes = shapes_of(plan);
  TreeOptions options = plan.request;
  options.finish = Finish::carry;
  std::set<std::vector<unsigned>> different;
  for (std::size_t m = 0; m < shapes.size(); ++m)
    if (plan.neurons[m].has_tree()) different.insert(shapes[m].bits);
  options.share = static_cast<unsigned>(std::max<std::size_t>(1, different.size()));
  unsigned deepest = 0;
  for (std::size_t m = 0; m < shapes.size(); ++m) {
    DenseNeuron& n = plan.neurons[m];
    if (!n.has_tree()) continue;
    auto at = std::find_if(plan.trees.begin(), plan.trees.end(),
                           [&](const TreePlan& t) { return t.shape == shapes[m]; });
    n.tree = static_cast<std::size_t>(at - plan.trees.begin());
    if (at != plan.trees.end()) continue;
    plan.trees.push_back(plan_tree(shapes[m], options));
    deepest = std::max(deepest, latency(plan.trees.back(), plan.request.pipeline));
  }
  // Shared counters have their own register.
  plan.latency = plan.request.pipeline == 0 ? 0 : std::max(1u, deepest + plan.shares());
}

std::vector<unsigned> groups_of(const DenseRequest& r) {
  if (r.sharing == Sharing::none) return {1};
  if (r.sharing == Sharing::three) return {3};
  if (r.sharing == Sharing::six) return {6};
  if (r.sharing == Sharing::seven) return {7};
  // Counters of seven have three levels before one register.
  const bool may_be_deep = (r.pipeline == 0 || r.pipeline > 2) && r.objective != Objective::delay;
  return may_be_deep ? std::vector{1u, 3u, 6u, 7u} : std::vector{1u, 3u, 6u};
}

}  // namespace

unsigned DensePlan::luts() const {
  std::vector<unsigned> of_tree;
  for (const TreePlan& t : trees) of_tree.push_back(audit(t).luts());
  unsigned n = first_layer_luts();
  for (const DenseNeuron& neuron : neurons)
    if (neuron.has_tree()) n += of_tree[neuron.tree];
  return n;
}

DensePlan plan_dense(const DenseRequest& r) {
  check(r);
  const ir::Limits& limits = r.context.limits;
  ir::require_at_most(limits.weights, std::uint64_t{r.inputs} * r.weights.size(), "the layer",
                      "weights", "--max-weights");
  // The most promising candidates are solved first; those that cannot win are skipped.
  struct Candidate {
    DensePlan plan;
    double at_least = 0;
  };
  std::vector<Candidate> all;
  double alone = 0;
  for (unsigned group : groups_of(r)) {
    all.push_back({plan_group(r, group)});
    if (r.sharing == Sharing::automatic) all.back().at_least = luts_at_least(all.back().plan);
    if (group == 1) alone = all.back().at_least;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.at_least < b.at_least; });
  // Checked before the first tree is solved, which may take minutes.
  ir::require_at_most(limits.cells, static_cast<std::uint64_t>(all.front().at_least), "the layer",
                      "LUTs at least", "--max-cells");
  // A quick search does not get closer to the bound than this.
  const double margin = r.effort < 2 ? 1.03 : 1;
  DensePlan best;
  auto rank = [](const DensePlan& p) { return std::pair(p.luts(), p.group); };
  for (Candidate& c : all) {
    if (best.group > 0 && c.at_least * margin > best.luts()) continue;
    plan_trees(c.plan);
    if (best.group == 0 || rank(c.plan) < rank(best)) best = std::move(c.plan);
  }
  best.alone_luts = static_cast<unsigned>(std::ceil(alone - 1e-6));
  ir::require_at_most(limits.cells, best.luts(), "the layer", "LUTs", "--max-cells");
  return best;
}

Datapath DensePlan::datapath() const {
  const auto m = static_cast<std::uint32_t>(neurons.size());
  return {.module = fmt::format("bnn_dense{}x{}", m, request.inputs),
          .about = fmt::format("{} neurons of {} inputs, groups of {}: {} counters shared", m,
                               request.inputs, group, shares() ? counts.size() : 0),
          .in = {{"x", request.inputs, 1}},
          .out = {"y", m, 1},
          .latency = latency};
}

}  // namespace kumiki::gen::neuron
