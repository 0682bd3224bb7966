// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/lower.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "gen/config/kind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/machines/input.h"
#include "gen/layers/pipeline/machines/requantise_offset.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "gen/layers/pipeline/machines/width.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/operators/concat/machine.h"
#include "gen/operators/thresholds/machine.h"

namespace kumiki::gen::pipeline {

using graph::Node;
using graph::TensorId;

std::string Names::of(const std::string& wish) {
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

Lowering::Lowering(const Foldings& foldings, std::int64_t clocks, Depth depth)
    : f_(foldings),
      g_(foldings.graph()),
      clocks_(clocks),
      depth_(depth),
      behind_(foldings, clocks),
      made_(g_.tensors.size()) {}

PipelinePlan Lowering::run() {
  take_inputs();
  for (std::size_t i = 0; i < g_.nodes.size(); ++i)
    if (!done_.contains(i))
      made_[g_.nodes[i].output] =
          std::visit([&](const auto& op) { return machines(*this, i, op); }, g_.nodes[i].op);
  if (plan_.boxes.empty())
    throw DesignError(code::no_machine, "the network has no node that does anything");
  if (g_.outputs.size() > 1) return_all();
  // The output must be the result of the last machine.
  if (g_.outputs.size() == 1)
    if (const Source& out = made_[g_.outputs[0]]; out.box + 1 != plan_.boxes.size())
      throw DesignError(code::no_machine, fmt::format("{} is not what its last node makes",
                                                      g_.tensors[g_.outputs[0]].name));
  for (const Box& b : plan_.boxes)
    if (b.machine->interval() > clocks_) throw TooSlow(b.name, b.machine->interval());
  if (const auto reader = weight_reader_of(plan_); reader && reader->interval() > clocks_)
    throw TooSlow("the memory outside", reader->interval());
  require_contracts(plan_);
  return std::move(plan_);
}

// Takes the inputs map after map, in the lanes that the first reader takes if these suffice, so
// that no conversion is needed.
void Lowering::take_inputs() {
  const std::vector<TensorId> all = all_inputs(g_);
  const std::int64_t lanes = lanes_of_reader(g_.input);
  if (all.size() == 1) {
    plan_.inputs = {stream_of(g_.tensors[g_.input], lanes > 0 ? lanes : lanes_for(all))};
    made_[g_.input] = {Box::from_outside, plan_.inputs[0]};
    return;
  }
  for (const TensorId id : all)
    plan_.inputs.push_back(stream_of(g_.tensors[id], std::max(lanes, lanes_for(all))));
  const Source line{Box::from_outside, plan_.input()};
  std::int64_t first = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const InputPlan plan{.all = line.stream, .first = first, .map = plan_.inputs[i]};
    if (!f_.readers(all[i]).empty() || is_output(all[i]))
      made_[all[i]] = add(g_.tensors[all[i]].name, machine(plan), {line});
    first += plan.map.beats();
  }
}

// Sends the outputs map after map, in the fewest lanes that let all of them pass in time.
void Lowering::return_all() {
  const std::int64_t lanes = lanes_for(g_.outputs);
  ConcatPlan plan{.streams = {}, .along = Along::frames};
  std::vector<Source> all;
  for (const TensorId id : g_.outputs) {
    all.push_back(with_lanes(made_[id], lanes, g_.tensors[id].name));
    plan.streams.push_back(all.back().stream);
  }
  if (!legal(plan))
    throw DesignError(code::no_machine, fmt::format("it has {} outputs, and a pipeline returns "
                                                    "at most {}",
                                                    all.size(), most_concats));
  add("outputs", machine(plan), all);
}

bool Lowering::is_output(TensorId id) const {
  return std::ranges::find(g_.outputs, id) != g_.outputs.end();
}

// The lanes of the first layer that reads an input; 0: none sets its lanes.
std::int64_t Lowering::lanes_of_reader(TensorId input) const {
  for (std::size_t i = 0; i < g_.nodes.size(); ++i)
    if (!g_.nodes[i].inputs.empty() && g_.nodes[i].inputs[0] == input)
      if (const auto best = folded(i)) return best->inputs()[0].lanes;
  return 0;
}

// The fewest lanes that let these maps pass in time, one after the other.
std::int64_t Lowering::lanes_for(const std::vector<TensorId>& maps) const {
  const auto beats = [&](std::int64_t lanes) {
    std::int64_t sum = 0;
    for (const TensorId id : maps) sum += stream_of(g_.tensors[id], lanes).beats();
    return sum;
  };
  std::int64_t most = 1, lanes = 1;
  for (const TensorId id : maps) most = std::max(most, stream_of(g_.tensors[id], 1).channels);
  while (beats(lanes) > clocks_ && lanes < most) ++lanes;
  return lanes;
}

Source Lowering::add(const std::string& name, std::shared_ptr<const Machine> machine,
                     const std::vector<Source>& from) {
  Box box{names_.of(name), std::move(machine), {}};
  for (const Source& s : from) box.sources.push_back(s.box);
  const Stream stream = box.machine->output();
  plan_.boxes.push_back(std::move(box));
  return {plan_.boxes.size() - 1, stream};
}

Source Lowering::weights(std::size_t node, const Stream& words,
                         const std::function<std::vector<std::int16_t>()>& numbers) {
  WeightStream stream{this->node(node).name, words};
  if (depth_ == Depth::whole)
    stream.numbers = std::make_shared<const std::vector<std::int16_t>>(numbers());
  plan_.weights.push_back(std::move(stream));
  return {Box::weights(plan_.weights.size() - 1), words};
}

Source Lowering::with_lanes(Source from, std::int64_t lanes, const std::string& name) {
  for (const WidthPlan& p : width_plans(from.stream, lanes, clocks_))
    from = add(name + "_width", machine(p), {from});
  return from;
}

Source Lowering::replace(std::size_t box, std::shared_ptr<const Machine> machine) {
  plan_.boxes[box].machine = std::move(machine);
  return {box, plan_.boxes[box].machine->output()};
}

std::shared_ptr<const Machine> Lowering::folded(std::size_t i) const {
  using Cost = std::pair<std::int64_t, std::int64_t>;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  Cost least{none, none};
  const ConvolutionFolding* chain = nullptr;
  for (const ConvolutionFolding& f : f_.convolutions(i)) {
    if (Cost(f.slices, f.tree_bits) >= least) break;
    if (f.interval > clocks_) continue;
    const Stream sums = f_.sums(i, f.lanes);
    if (Cost(f.slices + behind_.least_slices(i, sums), f.tree_bits) >= least) continue;
    const Cost cost{f.slices + behind_.slices(i, sums), f.tree_bits};
    // A shortened ring may take slightly longer than the folding says.
    if (cost >= least || f_.folded(i, f, Depth::sketch)->interval() > clocks_) continue;
    least = cost;
    chain = &f;
  }
  // Of those with equally few slices the one with the smallest memory.
  const DepthwiseFolding* alone = nullptr;
  for (const DepthwiseFolding& f : f_.depthwise(i)) {
    if (f.slices > least.first) break;
    if (clocks_ < f.interval) continue;
    const Stream sums = f.machine->output();
    if (f.slices + behind_.least_slices(i, sums) > least.first) continue;
    const std::int64_t slices = f.slices + behind_.slices(i, sums);
    if (slices > least.first) continue;
    if (slices == least.first && (!alone || f.brams_18k >= alone->brams_18k)) continue;
    least = {slices, 0};
    alone = &f;
  }
  if (alone) return alone->machine;
  return chain ? f_.folded(i, *chain, depth_) : nullptr;
}

Source Lowering::numbers(std::size_t i, Source sums, const std::vector<std::int64_t>& lacks) {
  const Node& n = g_.nodes[i];
  const auto offsets = this->offsets(i, lacks);
  const auto steps = offsets ? f_.steps_behind(i) : std::nullopt;
  if (offsets && !steps && are_all_zero(*offsets)) return sums;
  sums = with_lanes(sums, behind_.lanes_of_numbers(i, sums.stream), n.name);
  if (steps) {
    const Node& t = g_.nodes[*steps];
    done_.insert(*steps);
    return made_[t.output] = add(
               t.name,
               f_.kept(i, {sums.stream}, [&] { return thresholds(g_, t, sums.stream, *offsets); }),
               {sums});
  }
  if (offsets)
    return add(n.name + "_offset",
               machine(OffsetPlan{.sums = sums.stream,
                                  .offsets = *offsets,
                                  .numbers = format_of(n.output),
                                  .passes = passes_of(sums.stream, g_.tensors[n.output])}),
               {sums});
  return add(n.name + "_numbers", f_.requantised(i, sums.stream), {sums});
}

graph::TensorId Lowering::numbers_of(std::size_t i) const {
  const auto steps = f_.offsets(i) ? f_.steps_behind(i) : std::nullopt;
  return g_.nodes[steps.value_or(i)].output;
}

Source Lowering::numbers_leave(std::size_t i, Source from) { return made_[numbers_of(i)] = from; }

std::optional<std::vector<std::int64_t>> Lowering::offsets(
    std::size_t node, const std::vector<std::int64_t>& lacks) const {
  auto offsets = f_.offsets(node);
  for (std::size_t c = 0; offsets && c < lacks.size(); ++c) (*offsets)[c] += lacks[c];
  return offsets;
}

TooSlow::TooSlow(std::string who, std::int64_t clocks)
    : DesignError(code::pipeline_too_slow, fmt::format("{} takes {} clocks", who, clocks)),
      name(std::move(who)),
      interval(clocks) {}

PipelinePlan lowered(const Foldings& foldings, std::int64_t clocks, Depth depth) {
  return Lowering(foldings, clocks, depth).run();
}

}  // namespace kumiki::gen::pipeline
