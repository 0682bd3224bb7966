// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/lower.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "gen/config/kind.h"
#include "gen/layers/pipeline/machines/add.h"
#include "gen/layers/pipeline/machines/average.h"
#include "gen/layers/pipeline/machines/concat.h"
#include "gen/layers/pipeline/machines/lookup.h"
#include "gen/layers/pipeline/machines/max_pool.h"
#include "gen/layers/pipeline/machines/requantise.h"
#include "gen/layers/pipeline/machines/requantise_offset.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "gen/layers/pipeline/machines/thresholds.h"
#include "gen/layers/pipeline/machines/width.h"
#include "gen/layers/pipeline/streamed.h"

namespace kumiki::gen::pipeline {
namespace {

using graph::Conv;
using graph::Graph;
using graph::Node;
using graph::TensorId;

// An identifier from the name of a node, its own among those that are taken.
class Names {
 public:
  std::string of(const std::string& wish) {
    std::string plain;
    for (const char c : wish) {
      const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (letter || (!plain.empty() && plain.back() != '_')) plain += letter ? c : '_';
    }
    while (!plain.empty() && plain.back() == '_') plain.pop_back();
    if (!config::identifier().accepts(plain)) plain = "m_" + plain;
    if (!config::identifier().accepts(plain)) plain = "m";
    std::string name = plain;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", plain, i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

// Where the numbers of a tensor come from.
struct Source {
  std::size_t box = Box::from_outside;
  Stream stream;
};

Stream stream_of(const graph::Tensor& t, std::int64_t lanes) {
  return {.height = t.shape[1],
          .width = t.shape[2],
          .channels = t.shape[0],
          .lanes = lanes,
          .format = t.format};
}

// The machines for a Conv of every channel alone, the fewest slices first; none for another one.
std::vector<DepthwisePlan> depthwise_plans(const Graph& g, const Node& n) {
  const auto& conv = std::get<Conv>(n.op);
  const graph::Tensor& in = g.tensors[n.inputs[0]];
  std::vector<DepthwisePlan> all;
  if (conv.groups != in.shape[0] || conv.groups == 1) return all;
  const auto& kernel = conv.window.kernel;
  const std::set<std::int64_t> parallel{1, kernel[0], kernel[1], kernel[0] * kernel[1]};
  std::set<std::int64_t> blocks;  // that make a difference
  for (std::int64_t lanes = 1; lanes <= conv.groups; ++lanes) {
    Stream stream = stream_of(in, lanes);
    if (!blocks.insert(stream.blocks()).second) continue;
    for (const std::int64_t p : parallel) {
      const DepthwisePlan plan{.stream = stream,
                               .zero_point = in.zero_point,
                               .window = conv.window,
                               .weights = conv.weights,
                               .parallel = p};
      if (!plan.why_not()) all.push_back(with_ring(plan));
    }
  }
  std::ranges::stable_sort(all, {}, &DepthwisePlan::slices);
  return all;
}

class Lowerer {
 public:
  Lowerer(const Foldings& foldings, std::int64_t clocks, Depth depth)
      : f_(foldings),
        g_(foldings.graph()),
        clocks_(clocks),
        depth_(depth),
        made_(g_.tensors.size()) {
    for (const Node& n : g_.nodes)
      for (const TensorId id : n.inputs) readers_[id].push_back(&n);
  }

  PipelinePlan run() {
    const graph::Tensor& input = g_.tensors[g_.input];
    plan_.input = stream_of(input, lanes_of_input());
    made_[g_.input] = {Box::from_outside, plan_.input};
    for (std::size_t i = 0; i < g_.nodes.size(); ++i)
      if (!done_.contains(i)) node(i);
    if (plan_.boxes.empty())
      throw DesignError(Code::no_machine, "the network has no node that does anything");
    // What leaves is what the last machine gives.
    if (const Source& out = made_[g_.outputs[0]]; out.box + 1 != plan_.boxes.size())
      throw DesignError(Code::no_machine, fmt::format("{} is not what its last node makes",
                                                      g_.tensors[g_.outputs[0]].name));
    for (const Box& b : plan_.boxes)
      if (b.machine->interval() > clocks_) throw TooSlow(b.name, b.machine->interval());
    return std::move(plan_);
  }

 private:
  // As many channels a beat as the first reader wants, so that nothing has to be changed.
  std::int64_t lanes_of_input() const {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i)
      if (g_.nodes[i].inputs[0] == g_.input)
        if (const auto best = f_.best(i, clocks_, depth_)) return best->inputs()[0].lanes;
    return lanes_for(stream_of(g_.tensors[g_.input], 1));
  }

  // The fewest lanes that let a frame by in time.
  std::int64_t lanes_for(Stream s) const {
    for (s.lanes = 1; s.lanes < s.channels; ++s.lanes)
      if (s.beats() <= clocks_) break;
    return s.lanes;
  }

  Source add(const std::string& name, std::shared_ptr<const Machine> machine,
             const std::vector<Source>& from) {
    Box box{names_.of(name), std::move(machine), {}};
    for (const Source& s : from) box.sources.push_back(s.box);
    const Stream stream = box.machine->output();
    plan_.boxes.push_back(std::move(box));
    return {plan_.boxes.size() - 1, stream};
  }

  Source with_lanes(Source from, std::int64_t lanes, const std::string& name) {
    for (const WidthPlan& p : width_plans(from.stream, lanes, clocks_))
      from = add(name + "_width", machine<WidthModel>(p), {from});
    return from;
  }

  Source read(const Node& n, std::size_t input) const { return made_[n.inputs[input]]; }

  void node(std::size_t i) {
    const Node& n = g_.nodes[i];
    made_[n.output] = std::visit([&](const auto& op) { return machines(i, n, op); }, n.op);
  }

  Source machines(std::size_t i, const Node& n, const Conv&) {
    if (const UnrolledPlan::Layer* layer = f_.in_luts(i)) return in_luts(i, n, *layer);
    const auto best = f_.best(i, clocks_, depth_);
    const DepthwisePlan* depthwise = f_.best_depthwise(i, clocks_);
    if (depthwise && (!best || depthwise->slices() < best->slices())) {
      const Source in = with_lanes(read(n, 0), depthwise->stream.lanes, n.name);
      return numbers(i, n, add(n.name, machine<DepthwiseModel>(*depthwise), {in}));
    }
    if (!best) throw TooSlow(n.name, f_.fastest(i));
    const Source in = with_lanes(read(n, 0), best->inputs()[0].lanes, n.name);
    return numbers(i, n, add(n.name, best, {in}));
  }

  Source in_luts(std::size_t i, const Node& n, UnrolledPlan::Layer layer) {
    const std::vector<std::int64_t> lacks = layer.matrix.lacks;
    const auto offsets = with(offsets_of(g_, n), lacks);
    const bool has_steps = offsets && steps_behind(i),
               are_numbers = offsets && !has_steps && all_zero(*offsets);
    if (has_steps || are_numbers) layer.numbers.reset();
    const bool is_done = layer.numbers || are_numbers;
    Source sums = unrolled(n, std::move(layer));
    if (is_done) return sums;
    if (has_steps) return numbers(i, n, sums, lacks);
    sums = with_lanes(sums, fewest_lanes(sums.stream), n.name);
    return add(
        n.name + "_numbers",
        f_.kept<ThresholdsModel>(i, {sums.stream},
                                 [&] { return thresholds_of_rules(g_, n, sums.stream, lacks); }),
        {sums});
  }

  // Behind another one that nobody else reads it is in the same machine.
  Source unrolled(const Node& n, UnrolledPlan::Layer layer) {
    const TensorId id = n.inputs[0];
    const Source in = made_[id];
    if (const auto before = unrolled_.find(in.box);
        before != unrolled_.end() && readers_[id].size() == 1 && id != g_.outputs[0]) {
      UnrolledPlan& plan = before->second;
      plan.layers.push_back(std::move(layer));
      plan_.boxes[in.box].machine = machine<UnrolledModel>(plan);
      return {in.box, plan.output()};
    }
    const UnrolledPlan plan{
        .height = in.stream.height, .width = in.stream.width, .layers = {std::move(layer)}};
    const Source made =
        add(n.name, machine<UnrolledModel>(plan), {with_lanes(in, in.stream.channels, n.name)});
    unrolled_.emplace(made.box, plan);
    return made;
  }

  Source machines(std::size_t i, const Node& n, const graph::GlobalAverage&) {
    const Source in = read(n, 0);
    const AveragePlan plan{.stream = in.stream};
    if (const auto why = plan.why_not()) throw NoMachine(n, *why);
    return numbers(i, n, add(n.name, machine<AverageModel>(plan), {in}));
  }

  // Sums become numbers in as few lanes as keep the pace: by the steps of the node that alone reads
  // them, or by the node's own rule. `lacks`: of every channel's sums beside bias and zero point.
  Source numbers(std::size_t i, const Node& n, Source sums,
                 const std::vector<std::int64_t>& lacks = {}) {
    const auto offsets = with(offsets_of(g_, n), lacks);
    const auto steps = offsets ? steps_behind(i) : std::nullopt;
    if (offsets && !steps && all_zero(*offsets)) return sums;
    sums = with_lanes(sums, fewest_lanes(sums.stream), n.name);
    if (steps) {
      const Node& t = g_.nodes[*steps];
      done_.insert(*steps);
      return made_[t.output] = add(
                 t.name,
                 f_.kept<ThresholdsModel>(i, {sums.stream},
                                          [&] { return thresholds(g_, t, sums.stream, *offsets); }),
                 {sums});
    }
    if (offsets)
      return add(n.name + "_offset",
                 machine<OffsetModel>(OffsetPlan{
                     .sums = sums.stream, .offsets = *offsets, .numbers = format_of(n.output)}),
                 {sums});
    return add(
        n.name + "_numbers",
        f_.kept<RequantiseModel>(i, {sums.stream}, [&] { return requantise(g_, n, sums.stream); }),
        {sums});
  }

  static std::optional<std::vector<std::int64_t>> with(
      std::optional<std::vector<std::int64_t>> offsets, const std::vector<std::int64_t>& lacks) {
    for (std::size_t c = 0; offsets && c < lacks.size(); ++c) (*offsets)[c] += lacks[c];
    return offsets;
  }
  static bool all_zero(const std::vector<std::int64_t>& all) {
    return std::ranges::all_of(all, [](std::int64_t n) { return n == 0; });
  }

  // Of those that divide the lanes of a stream.
  std::int64_t fewest_lanes(Stream s) const {
    const std::int64_t all = s.lanes;
    for (s.lanes = 1; s.lanes < all; ++s.lanes)
      if (all % s.lanes == 0 && s.beats() <= clocks_) break;
    return s.lanes;
  }

  arith::Format format_of(TensorId id) const { return g_.tensors[id].format; }

  // The Thresholds that alone read the sums of a node, which leave it as they are.
  std::optional<std::size_t> steps_behind(std::size_t i) const {
    const TensorId made = g_.nodes[i].output;
    const auto found = readers_.find(made);
    if (found == readers_.end() || found->second.size() != 1) return {};
    const Node& reader = *found->second[0];
    if (!std::holds_alternative<graph::Thresholds>(reader.op)) return {};
    if (std::ranges::find(g_.outputs, made) != g_.outputs.end()) return {};
    return static_cast<std::size_t>(&reader - g_.nodes.data());
  }

  Source machines(std::size_t, const Node& n, const graph::MaxPool& pool) {
    const Source in = read(n, 0);
    const MaxPoolPlan plan{.stream = in.stream, .window = pool.window};
    if (const auto why = plan.why_not()) throw NoMachine(n, *why);
    return add(n.name, machine<MaxPoolModel>(plan), {in});
  }

  Source machines(std::size_t i, const Node& n, const graph::Add&) {
    const Source a = read(n, 0);
    const Source b = with_lanes(read(n, 1), a.stream.lanes, n.name);
    return add(n.name,
               f_.kept<AddModel>(i, {a.stream, b.stream},
                                 [&] {
                                   return plan_add(a.stream, b.stream, format_of(n.output),
                                                   pairs_of(g_, n, f_.reached()));
                                 }),
               {a, b});
  }

  Source machines(std::size_t, const Node& n, const graph::Lookup& table) {
    const Source in = read(n, 0);
    const LookupPlan plan{
        .stream = in.stream, .format = format_of(n.output), .values = table.values};
    if (!legal(plan))
      throw NoMachine(n, fmt::format("its numbers have {} bits", in.stream.format.bits));
    return add(n.name, machine<LookupModel>(plan), {in});
  }

  Source machines(std::size_t, const Node& n, const graph::Concat&) {
    std::int64_t common = 0;
    for (const TensorId id : n.inputs) common = std::gcd(common, g_.tensors[id].shape[0]);
    const std::int64_t lanes = fewest_lanes(stream_of(g_.tensors[n.output], common));
    std::vector<Source> all;
    ConcatPlan plan;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      all.push_back(with_lanes(read(n, k), lanes, n.name));
      plan.streams.push_back(all.back().stream);
    }
    return add(n.name, machine<ConcatModel>(plan), all);
  }

  Source machines(std::size_t i, const Node& n, const graph::Thresholds&) {
    const Source in = read(n, 0);
    return add(
        n.name,
        f_.kept<ThresholdsModel>(i, {in.stream}, [&] { return thresholds(g_, n, in.stream); }),
        {in});
  }

  Source machines(std::size_t, const Node& n, const graph::Reshape&) {
    throw std::logic_error(n.name + ": a streamed graph has no reshape");
  }
  Source machines(std::size_t, const Node& n, const graph::Transpose&) {
    throw std::logic_error(n.name + ": a streamed graph has no transpose");
  }
  Source machines(std::size_t, const Node& n, const graph::ArgMax&) {
    throw std::logic_error(n.name + ": a streamed graph has no arg_max");
  }

  const Foldings& f_;
  const Graph& g_;
  std::int64_t clocks_;
  Depth depth_;
  PipelinePlan plan_;
  std::vector<Source> made_;
  std::map<TensorId, std::vector<const Node*>> readers_;
  std::set<std::size_t> done_;                    // nodes that another one took along
  std::map<std::size_t, UnrolledPlan> unrolled_;  // by box
  Names names_;
};

}  // namespace

Foldings::Foldings(std::shared_ptr<const Graph> g, const packing::Limits& limits,
                   const NoSlice& no_slice, const ir::Context& context)
    : graph_(std::move(g)),
      limits_(limits),
      context_(context),
      trees_(context.store),
      in_trees_(no_slice.in_trees),
      reached_(graph::reached_numbers(*graph_)) {
  context_.store = &trees_;
  for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
    const Node& n = graph_->nodes[i];
    if (!std::holds_alternative<Conv>(n.op)) continue;
    if (no_slice.in_luts.contains(i)) {
      LutMatrix matrix = lut_matrix(*graph_, n);
      auto numbers = lut_numbers(*graph_, n, matrix);
      in_luts_[i] = {.name = n.name, .matrix = std::move(matrix), .numbers = std::move(numbers)};
      continue;
    }
    if (const std::string why = why_not(*graph_, n); !why.empty()) throw NoMachine(n, why);
    of_node_[i] = foldings_of(*graph_, n, made_in(i, Depth::sketch));
    auto& all = of_node_[i];
    if (all.empty()) throw NoMachine(n, "no chain of slices can be proved for it");
    if (auto plans = depthwise_plans(*graph_, n); !plans.empty())
      depthwise_.emplace(i, std::move(plans));
    std::ranges::sort(all, {}, [](const ConvolutionFolding& f) {
      return std::tuple(f.slices, f.in_trees, f.fold.positions, f.lanes, f.fold.rows);
    });
  }
}

ColumnsOf Foldings::made_in(std::size_t node, Depth depth) const {
  const bool are_trees = in_trees_.contains(node);
  return {.limits = limits_,
          .planned = &planned_,
          .are_trees = are_trees,
          .is_sketch = are_trees && depth == Depth::sketch,
          .context = context_};
}

std::vector<std::int64_t> Foldings::paces() const {
  std::set<std::int64_t> all;
  for (const auto& [node, foldings] : of_node_)
    for (const ConvolutionFolding& f : foldings) all.insert(f.interval);
  for (const auto& [node, plans] : depthwise_)
    for (const DepthwisePlan& p : plans) all.insert(p.interval());
  // A vector a clock, whatever the pace.
  for (const auto& [node, layer] : in_luts_) {
    const graph::Shape& map = graph_->tensors[graph_->nodes[node].output].shape;
    all.insert(std::int64_t{map[1]} * map[2]);
  }
  return {all.begin(), all.end()};
}

const std::shared_ptr<const Foldings::Convolution>& Foldings::folded(std::size_t node,
                                                                     const ConvolutionFolding& f,
                                                                     Depth depth) const {
  const ColumnsOf made = made_in(node, depth);
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
    for (const DepthwisePlan& p : alone->second) clocks = std::min(clocks, p.interval());
  return clocks;
}

std::shared_ptr<const Foldings::Convolution> Foldings::best(std::size_t node, std::int64_t clocks,
                                                            Depth depth) const {
  const auto found = of_node_.find(node);
  if (found == of_node_.end()) return nullptr;
  for (const ConvolutionFolding& f : found->second)
    if (f.interval <= clocks)
      // A ring that is cut short may take a little longer than the folding says.
      if (folded(node, f, Depth::sketch)->interval() <= clocks) return folded(node, f, depth);
  return nullptr;
}

const UnrolledPlan::Layer* Foldings::in_luts(std::size_t node) const {
  const auto found = in_luts_.find(node);
  return found == in_luts_.end() ? nullptr : &found->second;
}

const DepthwisePlan* Foldings::best_depthwise(std::size_t node, std::int64_t clocks) const {
  const auto found = depthwise_.find(node);
  if (found == depthwise_.end()) return nullptr;
  for (const DepthwisePlan& p : found->second)
    if (p.interval() <= clocks) return &p;
  return nullptr;
}

TooSlow::TooSlow(std::string who, std::int64_t clocks)
    : DesignError(Code::pipeline_too_slow, fmt::format("{} takes {} clocks", who, clocks)),
      name(std::move(who)),
      interval(clocks) {}

PipelinePlan lowered(const Foldings& foldings, std::int64_t clocks, Depth depth) {
  return Lowerer(foldings, clocks, depth).run();
}

}  // namespace kumiki::gen::pipeline
