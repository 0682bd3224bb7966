// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/lower.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gen/config/kind.h"
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/machines/average.h"
#include "gen/layers/pipeline/machines/concat.h"
#include "gen/layers/pipeline/machines/lookup.h"
#include "gen/layers/pipeline/machines/max_pool.h"
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

class Lowerer {
 public:
  Lowerer(const Foldings& foldings, std::int64_t clocks, Depth depth)
      : f_(foldings),
        g_(foldings.graph()),
        clocks_(clocks),
        depth_(depth),
        behind_(foldings, clocks),
        made_(g_.tensors.size()) {}

  PipelinePlan run() {
    const graph::Tensor& input = g_.tensors[g_.input];
    plan_.input = stream_of(input, lanes_of_input());
    made_[g_.input] = {Box::from_outside, plan_.input};
    for (std::size_t i = 0; i < g_.nodes.size(); ++i)
      if (!done_.contains(i)) node(i);
    if (plan_.boxes.empty())
      throw DesignError(Code::no_machine, "the network has no node that does anything");
    if (g_.outputs.size() > 1) return_all();
    // What leaves is what the last machine gives.
    if (g_.outputs.size() == 1)
      if (const Source& out = made_[g_.outputs[0]]; out.box + 1 != plan_.boxes.size())
        throw DesignError(Code::no_machine, fmt::format("{} is not what its last node makes",
                                                        g_.tensors[g_.outputs[0]].name));
    for (const Box& b : plan_.boxes)
      if (b.machine->interval() > clocks_) throw TooSlow(b.name, b.machine->interval());
    require_contracts(plan_);
    return std::move(plan_);
  }

 private:
  // Map behind map, in the fewest lanes that let all of them by in time.
  void return_all() {
    const auto beats = [&](std::int64_t lanes) {
      std::int64_t sum = 0;
      for (const TensorId id : g_.outputs) sum += stream_of(g_.tensors[id], lanes).beats();
      return sum;
    };
    std::int64_t most = 1, lanes = 1;
    for (const TensorId id : g_.outputs)
      most = std::max(most, stream_of(g_.tensors[id], 1).channels);
    while (beats(lanes) > clocks_ && lanes < most) ++lanes;
    ConcatPlan plan{.streams = {}, .maps = true};
    std::vector<Source> all;
    for (const TensorId id : g_.outputs) {
      all.push_back(with_lanes(made_[id], lanes, g_.tensors[id].name));
      plan.streams.push_back(all.back().stream);
    }
    if (!legal(plan))
      throw DesignError(Code::no_machine, fmt::format("it has {} outputs, and a pipeline returns "
                                                      "at most {}",
                                                      all.size(), most_concats));
    add("outputs", machine<ConcatModel>(plan), all);
  }

  bool is_output(TensorId id) const {
    return std::ranges::find(g_.outputs, id) != g_.outputs.end();
  }

  // As many channels a beat as the first reader wants, so that nothing has to be changed.
  std::int64_t lanes_of_input() const {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i)
      if (g_.nodes[i].inputs[0] == g_.input)
        if (const auto best = folded(i)) return best->inputs()[0].lanes;
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
    const auto best = folded(i);
    if (!best) throw TooSlow(n.name, f_.fastest(i));
    const Source in = with_lanes(read(n, 0), best->inputs()[0].lanes, n.name);
    return numbers(i, n, add(n.name, best, {in}));
  }

  // The machine of a Conv that keeps the pace with the fewest slices, those behind it counted, then
  // with the fewest products in trees; null: none does.
  std::shared_ptr<const Machine> folded(std::size_t i) const {
    using Cost = std::pair<std::int64_t, std::int64_t>;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    Cost least{none, none};
    const ConvolutionFolding* chain = nullptr;
    for (const ConvolutionFolding& f : f_.convolutions(i)) {
      if (Cost(f.slices, f.in_trees) >= least) break;
      if (f.interval > clocks_) continue;
      const Cost cost{f.slices + behind_.slices(i, f_.sums(i, f.lanes)), f.in_trees};
      // A ring that is cut short may take a little longer than the folding says.
      if (cost >= least || f_.folded(i, f, Depth::sketch)->interval() > clocks_) continue;
      least = cost;
      chain = &f;
    }
    const DepthwisePlan* alone = nullptr;
    for (const DepthwisePlan& p : f_.depthwise(i)) {
      if (p.slices() >= least.first) break;
      if (p.interval() > clocks_) continue;
      const std::int64_t slices = p.slices() + behind_.slices(i, p.output());
      if (slices >= least.first) continue;
      least = {slices, 0};
      alone = &p;
    }
    if (alone) return machine<DepthwiseModel>(*alone);
    return chain ? f_.folded(i, *chain, depth_) : nullptr;
  }

  Source in_luts(std::size_t i, const Node& n, UnrolledPlan::Layer layer) {
    const std::vector<std::int64_t> lacks = layer.matrix.lacks;
    const auto offsets = with(f_.offsets(i), lacks);
    const bool has_steps = offsets && f_.steps_behind(i),
               are_numbers = offsets && !has_steps && are_all_zero(*offsets);
    if (has_steps || are_numbers) layer.numbers.reset();
    if (are_numbers) layer.as_numbers = as_numbers(layer.matrix.sums(), format_of(n.output));
    const bool is_done = layer.numbers || are_numbers;
    Source sums = unrolled(n, std::move(layer));
    if (is_done) return sums;
    if (has_steps) return numbers(i, n, sums, lacks);
    sums = with_lanes(sums, dividing_lanes(sums.stream, clocks_).front(), n.name);
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
        before != unrolled_.end() && f_.readers(id).size() == 1 && !is_output(id)) {
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
    AveragePlan plan{.stream = in.stream};
    plan.numbers = f_.numbers(i, plan.sum());
    if (const auto why = plan.why_not()) throw NoMachine(n, *why);
    return numbers(i, n, add(n.name, machine<AverageModel>(plan), {in}));
  }

  // Sums become numbers: by the steps of the node that alone reads them, or by the node's own rule.
  // `lacks`: of every channel's sums beside bias and zero point.
  Source numbers(std::size_t i, const Node& n, Source sums,
                 const std::vector<std::int64_t>& lacks = {}) {
    const auto offsets = with(f_.offsets(i), lacks);
    const auto steps = offsets ? f_.steps_behind(i) : std::nullopt;
    if (offsets && !steps && are_all_zero(*offsets)) return sums;
    sums = with_lanes(sums, behind_.lanes_of_numbers(i, sums.stream), n.name);
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
    return add(n.name + "_numbers", f_.requantised(i, sums.stream), {sums});
  }

  static std::optional<std::vector<std::int64_t>> with(
      std::optional<std::vector<std::int64_t>> offsets, const std::vector<std::int64_t>& lacks) {
    for (std::size_t c = 0; offsets && c < lacks.size(); ++c) (*offsets)[c] += lacks[c];
    return offsets;
  }

  arith::Format format_of(TensorId id) const { return g_.tensors[id].format; }

  Source machines(std::size_t, const Node& n, const graph::MaxPool& pool) {
    const std::int64_t lanes = lanes_of_pool(read(n, 0).stream, pool.window, clocks_);
    const Source in = with_lanes(read(n, 0), lanes, n.name);
    const MaxPoolPlan plan{.stream = in.stream, .window = pool.window};
    if (const auto why = plan.why_not()) throw NoMachine(n, *why);
    return add(n.name, machine<MaxPoolModel>(plan), {in});
  }

  Source machines(std::size_t i, const Node& n, const graph::Add&) {
    const Source a = read(n, 0);
    const Source b = with_lanes(read(n, 1), a.stream.lanes, n.name);
    return add(n.name, f_.added(i, a.stream, b.stream), {a, b});
  }

  // Sums as they are come in other bits than the table is for. What only they could be is never
  // reached: it has the value of the nearest number.
  static std::vector<std::int16_t> values_for(const arith::Format& sums,
                                              const arith::Format& numbers,
                                              const std::vector<std::int16_t>& table) {
    const arith::Interval come = sums.range(), known = numbers.range();
    std::vector<std::int16_t> values;
    for (arith::Exact sum = come.lo; sum <= come.hi; ++sum)
      values.push_back(
          table[static_cast<std::size_t>(std::clamp(sum, known.lo, known.hi) - known.lo)]);
    return values;
  }

  Source machines(std::size_t, const Node& n, const graph::Lookup& table) {
    const Source in = read(n, 0);
    LookupPlan plan{.stream = in.stream, .format = format_of(n.output), .values = table.values};
    if (in.stream.format != format_of(n.inputs[0]))
      plan.values = values_for(in.stream.format, format_of(n.inputs[0]), table.values);
    if (!legal(plan))
      throw NoMachine(n, fmt::format("its numbers have {} bits", in.stream.format.bits));
    return add(n.name, machine<LookupModel>(plan), {in});
  }

  Source machines(std::size_t, const Node& n, const graph::Concat&) {
    std::int64_t common = 0;
    for (const TensorId id : n.inputs) common = std::gcd(common, g_.tensors[id].shape[0]);
    const std::int64_t lanes =
        dividing_lanes(stream_of(g_.tensors[n.output], common), clocks_).front();
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
  Source machines(std::size_t, const Node& n, const graph::AveragePool&) {
    throw std::logic_error(n.name + ": a streamed graph has no average_pool");
  }
  Source machines(std::size_t, const Node& n, const graph::ArgMax&) {
    throw std::logic_error(n.name + ": a streamed graph has no arg_max");
  }

  const Foldings& f_;
  const Graph& g_;
  std::int64_t clocks_;
  Depth depth_;
  Behind behind_;
  PipelinePlan plan_;
  std::vector<Source> made_;
  std::set<std::size_t> done_;                    // nodes that another one took along
  std::map<std::size_t, UnrolledPlan> unrolled_;  // by box
  Names names_;
};

}  // namespace

TooSlow::TooSlow(std::string who, std::int64_t clocks)
    : DesignError(Code::pipeline_too_slow, fmt::format("{} takes {} clocks", who, clocks)),
      name(std::move(who)),
      interval(clocks) {}

PipelinePlan lowered(const Foldings& foldings, std::int64_t clocks, Depth depth) {
  return Lowerer(foldings, clocks, depth).run();
}

}  // namespace kumiki::gen::pipeline
