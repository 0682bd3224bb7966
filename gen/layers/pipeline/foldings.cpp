// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/foldings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "gen/graph/readers.h"
#include "gen/layers/pipeline/machines/requantise.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "gen/layers/pipeline/streamed.h"
#include "gen/operators/conv/depthwise.h"
#include "gen/operators/conv/sliding.h"

namespace kumiki::gen::pipeline {

using graph::Conv;
using graph::Graph;
using graph::Node;
using graph::TensorId;

Stream stream_of(const graph::Tensor& t, std::int64_t lanes) {
  return {.height = t.shape[1],
          .width = t.shape[2],
          .channels = t.shape[0],
          .lanes = lanes,
          .format = t.format};
}

namespace {

// The machines for a depthwise Conv, the fewest slices first; none for any other Conv.
// `numbers`: the format of results, given that of the sums.
template <class Numbers>
std::vector<DepthwiseFolding> depthwise_foldings(const Graph& g, const Node& n,
                                                 const packing::Limits& limits, Numbers&& numbers) {
  const auto& conv = std::get<Conv>(n.op);
  const graph::Tensor& in = g.tensors[n.inputs[0]];
  std::vector<DepthwiseFolding> all;
  if (conv.groups != in.shape[0] || conv.groups == 1) return all;
  const auto add = [&](auto plan) {
    plan.numbers = numbers(plan.output().format);
    all.push_back({machine(plan), plan.schedule().interval(), plan.slices(), plan.brams_18k()});
  };
  const auto& kernel = conv.window.kernel;
  std::set<std::int64_t> blocks;  // numbers of blocks that make a difference
  for (std::int64_t lanes = 1; lanes <= conv.groups; ++lanes) {
    const DepthwiseKernels kernels{.stream = stream_of(in, lanes),
                                   .zero_point = in.zero_point,
                                   .window = conv.window,
                                   .weights = conv.weights};
    if (!blocks.insert(kernels.stream.blocks()).second) continue;
    const SlidingPlan sliding{kernels};
    if (!sliding.why_not()) add(sliding);
    for (const std::int64_t parallel : std::set<std::int64_t>{1, kernel[0], kernel[1]}) {
      const DepthwisePlan plan{kernels, parallel, 0, parallel > 1 && !limits.w_multiplexer};
      if (parallel == kernels.positions() || plan.why_not()) continue;
      for (const DepthwisePlan& p : with_rings(plan)) add(p);
    }
  }
  std::ranges::stable_sort(
      all, {}, [](const DepthwiseFolding& f) { return std::pair(f.slices, f.brams_18k); });
  return all;
}

}  // namespace

Foldings::Foldings(std::shared_ptr<const Graph> g, const packing::Limits& limits,
                   const NodeChoices& choices, const ir::Context& context)
    : graph_(std::move(g)),
      limits_(limits),
      context_(context),
      trees_(context.store),
      in_trees_(choices.in_trees),
      outside_(choices.outside),
      word_bits_(choices.word_bits),
      readers_(graph::readers_of(*graph_)),
      reached_(graph::reached_numbers(*graph_)) {
  context_.store = &trees_;
  for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
    const Node& n = graph_->nodes[i];
    if (!std::holds_alternative<Conv>(n.op)) continue;
    if (choices.in_luts.contains(i)) {
      LutMatrix matrix = lut_matrix(*graph_, n);
      auto numbers = lut_numbers(*graph_, n, matrix);
      in_luts_[i] = {.name = n.name, .matrix = std::move(matrix), .numbers = std::move(numbers)};
      continue;
    }
    if (const std::string why = why_not(*graph_, n); !why.empty()) throw NoMachine(n, why);
    of_node_[i] = foldings_of(*graph_, n, made_in(i, Depth::sketch));
    auto& all = of_node_[i];
    if (all.empty()) throw NoMachine(n, "no chain of slices can be proved for it");
    auto alone =
        depthwise_foldings(*graph_, n, limits_, [&](const auto& sums) { return numbers(i, sums); });
    if (!alone.empty()) depthwise_.emplace(i, std::move(alone));
    std::ranges::sort(all, {}, [](const ConvolutionFolding& f) {
      return std::tuple(f.slices, f.tree_bits, f.fold.positions, f.fold.pixels, f.lanes,
                        f.fold.rows);
    });
  }
}

ColumnsOf Foldings::made_in(std::size_t node, Depth depth) const {
  const bool are_trees = in_trees_.contains(node);
  return {.limits = limits_,
          .planned = &planned_,
          .are_trees = are_trees,
          .word_bits = is_outside(node) ? std::optional(word_bits_) : std::nullopt,
          .is_sketch = are_trees && depth == Depth::sketch,
          .context = context_};
}

std::vector<std::int64_t> Foldings::paces() const {
  std::set<std::int64_t> all;
  for (const auto& [node, foldings] : of_node_)
    for (const ConvolutionFolding& f : foldings) all.insert(f.interval);
  for (const auto& [node, plans] : depthwise_)
    for (const DepthwiseFolding& f : plans) all.insert(f.interval);
  // Layers in LUTs take a vector each clock, whatever the pace.
  for (const auto& [node, layer] : in_luts_) {
    const graph::Shape& map = graph_->tensors[graph_->nodes[node].output].shape;
    all.insert(std::int64_t{map[1]} * map[2]);
  }
  return {all.begin(), all.end()};
}

const std::shared_ptr<const Foldings::Convolution>& Foldings::folded(std::size_t node,
                                                                     const ConvolutionFolding& f,
                                                                     Depth depth) const {
  ColumnsOf made = made_in(node, depth);
  made.numbers = numbers(node, sums_format(node));
  auto& machine = folded_[{node, f.fold, made.is_sketch}];
  if (!machine)
    machine = std::make_shared<const Convolution>(
        convolution(*graph_, graph_->nodes[node], f.fold, made));
  return machine;
}

std::int64_t Foldings::fastest(std::size_t node) const {
  const auto& foldings = of_node_.at(node);
  const auto& first = *std::ranges::min_element(foldings, {}, &ConvolutionFolding::interval);
  std::int64_t clocks = folded(node, first, Depth::sketch)->interval();
  if (const auto alone = depthwise_.find(node); alone != depthwise_.end())
    for (const DepthwiseFolding& f : alone->second) clocks = std::min(clocks, f.interval);
  return clocks;
}

const std::optional<std::vector<std::int64_t>>& Foldings::offsets(std::size_t node) const {
  const auto known = offsets_.find(node);
  if (known != offsets_.end()) return known->second;
  return offsets_.emplace(node, offsets_of(*graph_, graph_->nodes[node])).first->second;
}

std::optional<arith::Format> Foldings::numbers(std::size_t node, const arith::Format& sums) const {
  const auto& all = offsets(node);
  if (!all || !are_all_zero(*all) || steps_behind(node)) return {};
  return as_numbers(sums, graph_->tensors[graph_->nodes[node].output].format);
}

std::optional<std::size_t> Foldings::steps_behind(std::size_t node) const {
  return graph::thresholds_behind(*graph_, readers_, graph_->nodes[node].output);
}

bool Foldings::leave_by_maps(TensorId id) const {
  const auto takes_map = [&](std::size_t reader) {
    const Node& n = graph_->nodes[reader];
    if (std::holds_alternative<graph::Add>(n.op))
      return readers_[id].size() > 1 || leave_by_maps(n.output);
    return std::holds_alternative<graph::GlobalAverage>(n.op) || is_outside(reader);
  };
  const auto all = std::ssize(readers_[id]),
             others = all - std::ranges::count_if(readers_[id], takes_map);
  return all > others && others <= 1 &&
         std::ranges::find(graph_->outputs, id) == graph_->outputs.end();
}

const std::vector<ConvolutionFolding>& Foldings::convolutions(std::size_t node) const {
  static const std::vector<ConvolutionFolding> none;
  const auto found = of_node_.find(node);
  return found == of_node_.end() ? none : found->second;
}

const arith::Format& Foldings::sums_format(std::size_t node) const {
  auto known = sums_.find(node);
  if (known == sums_.end())
    known = sums_
                .emplace(node, pipeline::sums_format(*graph_, graph_->nodes[node],
                                                     in_trees_.contains(node)))
                .first;
  return known->second;
}

Stream Foldings::sums(std::size_t node, std::int64_t lanes) const {
  Stream stream = stream_of(graph_->tensors[graph_->nodes[node].output], lanes);
  stream.format = numbers(node, sums_format(node)).value_or(sums_format(node));
  if (is_outside(node)) {
    stream.height *= stream.blocks();
    stream.channels = lanes;
  }
  return stream;
}

const std::vector<DepthwiseFolding>& Foldings::depthwise(std::size_t node) const {
  static const std::vector<DepthwiseFolding> none;
  const auto found = depthwise_.find(node);
  return found == depthwise_.end() ? none : found->second;
}

const UnrolledPlan::Layer* Foldings::in_luts(std::size_t node) const {
  const auto found = in_luts_.find(node);
  return found == in_luts_.end() ? nullptr : &found->second;
}

std::shared_ptr<const Machine> Foldings::added(std::size_t node, const Stream& a,
                                               const Stream& b) const {
  constexpr int most_bits = 16;  // both of a result and of a pair
  const Node& n = graph_->nodes[node];
  const arith::Format& format = graph_->tensors[n.output].format;
  if (!legal(a, b) || format.bits > most_bits)
    throw NoMachine(
        n,
        fmt::format(
            "it adds numbers of {} and {} bits to {}; pairs and results must have at most {} bits",
            a.format.bits, b.format.bits, format.bits, most_bits));
  return kept(node, {a, b}, [&] {
    // Unscaled sums come in fewer bits than their tensor has.
    std::vector<arith::Interval> reached = reached_;
    for (const auto& [id, stream] : {std::pair(n.inputs[0], a), {n.inputs[1], b}}) {
      const arith::Interval come = stream.format.range();
      reached[id] = {std::max(reached[id].lo, come.lo), std::min(reached[id].hi, come.hi)};
    }
    return plan_add(a, b, format, pairs_of(*graph_, n, reached), limits_);
  });
}

std::shared_ptr<const Machine> Foldings::requantised(std::size_t node, const Stream& sums) const {
  return kept(node, {sums},
              [&] { return requantise(*graph_, graph_->nodes[node], sums, limits_); });
}

}  // namespace kumiki::gen::pipeline
