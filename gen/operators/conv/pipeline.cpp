// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/machines/fifo.h"
#include "gen/layers/pipeline/machines/reorder.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "gen/operators/conv/unrolled.h"
#include "gen/operators/thresholds/machine.h"

namespace kumiki::gen::pipeline {
namespace {

// If it follows another unrolled layer that no other node reads, both share one machine.
Source unrolled(Lowering& l, const graph::Node& n, UnrolledPlan::Layer layer) {
  const graph::TensorId id = n.inputs[0];
  const Source in = l.read(n);
  if (const auto* before = l.replaceable<UnrolledPlan>(in.box);
      before != nullptr && l.foldings().readers(id).size() == 1 && !l.is_output(id)) {
    UnrolledPlan plan = *before;
    plan.layers.push_back(std::move(layer));
    return l.replace(in.box, machine(plan));
  }
  const UnrolledPlan plan{
      .height = in.stream.height, .width = in.stream.width, .layers = {std::move(layer)}};
  return l.add(n.name, machine(plan), {l.with_lanes(in, in.stream.channels, n.name)});
}

Source in_luts(Lowering& l, std::size_t i, UnrolledPlan::Layer layer) {
  const graph::Node& n = l.node(i);
  const std::vector<std::int64_t> lacks = layer.matrix.lacks;
  const auto offsets = l.offsets(i, lacks);
  const bool has_steps = offsets && l.foldings().steps_behind(i),
             are_numbers = offsets && !has_steps && are_all_zero(*offsets);
  if (has_steps || are_numbers) layer.numbers.reset();
  if (are_numbers) layer.as_numbers = as_numbers(layer.matrix.sums(), l.format_of(n.output));
  const bool is_done = layer.numbers || are_numbers;
  Source sums = unrolled(l, n, std::move(layer));
  if (is_done) return sums;
  if (has_steps) return l.numbers(i, sums, lacks);
  sums = l.with_lanes(sums, dividing_lanes(sums.stream, l.clocks()).front(), n.name);
  const auto plan = [&] { return thresholds_of_rules(l.graph(), n, sums.stream, lacks); };
  return l.add(n.name + "_numbers", l.foldings().kept(i, {sums.stream}, plan), {sums});
}

// The numbers of all passes, in the order of passes, pixel by pixel. If whoever reads them takes a
// map at once, one map in block memories suffices: the numbers of the next one wait for the few
// clocks in which it leaves.
Source by_pixel(Lowering& l, std::size_t i, Source numbers, const Stream& made, std::int64_t passes,
                std::int64_t interval) {
  const std::string& name = l.node(i).name;
  ReorderPlan plan = by_pixel(numbers.stream, made, passes);
  const std::int64_t leaves = std::ssize(plan.reads), comes = plan.beats();
  if (!plan.in_luts() && 2 * (comes + leaves) <= interval &&
      l.foldings().leave_by_maps(l.numbers_of(i))) {
    plan.held = 1;
    const FifoPlan waits{.stream = numbers.stream,
                         .depth = FifoPlan::depth_for(ceil_div(comes * leaves, interval - leaves))};
    numbers = l.add(name + "_waits", machine(waits), {numbers});
  }
  return l.numbers_leave(i, l.add(name + "_pixels", machine(plan), {numbers}));
}

// The map comes again for every pass, and the numbers of all passes leave pixel by pixel.
Source weights_outside(Lowering& l, std::size_t i, const std::shared_ptr<const Machine>& best) {
  const graph::Node& n = l.node(i);
  const auto& plan = dynamic_cast<const MachineOf<ConvolutionPlan>&>(*best).plan();
  Source in = l.with_lanes(l.read(n), best->inputs()[0].lanes, n.name);
  if (plan.passes > 1)
    in = l.add(n.name + "_passes", machine(repeated(in.stream, plan.passes)), {in});
  Stream words = plan.weights();
  words.lanes = words.channels;
  const Source weights =
      l.with_lanes(l.weights(i, words, [&] { return weights_in_order(n, plan); }),
                   plan.weights().lanes, n.name + "_weights");
  Source numbers = l.numbers(i, l.add(n.name, best, {in, weights}));
  const graph::Tensor& out = l.graph().tensors[l.numbers_of(i)];
  if (plan.passes == 1 && numbers.stream.channels == out.shape[0]) return numbers;
  // If the last pass has fewer blocks, no counters follow the blocks of all passes; its tile is one
  // block.
  const std::int64_t blocks = stream_of(out, numbers.stream.lanes).blocks();
  if (blocks != plan.passes * numbers.stream.blocks())
    numbers = l.with_lanes(numbers, numbers.stream.channels, n.name + "_tiles");
  const Stream made = stream_of(out, numbers.stream.lanes).with(numbers.stream.format);
  return by_pixel(l, i, numbers, made, plan.passes, best->interval());
}

// The sums of pairs of pixels, pixel by pixel, in the fewest lanes that keep the pace.
Source pixel_by_pixel(Lowering& l, std::size_t i, const ConvolutionPlan& plan, Source sums) {
  const std::string& name = l.node(i).name;
  for (std::int64_t lanes = 1;; ++lanes) {
    if (plan.lanes() % lanes != 0) continue;
    Stream pairs = sums.stream, made = l.foldings().sums(i, lanes);
    pairs.lanes = lanes;
    const ReorderPlan order = from_pairs(pairs, made, plan.lanes());
    if (lanes < plan.lanes() && order.schedule().interval() > l.clocks()) continue;
    return l.add(name + "_pixels", machine(order), {l.with_lanes(sums, lanes, name)});
  }
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Conv&) {
  const graph::Node& n = l.node(i);
  if (const UnrolledPlan::Layer* layer = l.foldings().in_luts(i)) return in_luts(l, i, *layer);
  const auto best = l.folded(i);
  if (!best) throw TooSlow(n.name, l.foldings().fastest(i));
  if (l.foldings().is_outside(i)) return weights_outside(l, i, best);
  const Source in = l.with_lanes(l.read(n), best->inputs()[0].lanes, n.name);
  Source sums = l.add(n.name, best, {in});
  if (const auto* plan = l.replaceable<ConvolutionPlan>(sums.box); plan && plan->matrix.pixels > 1)
    sums = pixel_by_pixel(l, i, *plan, sums);
  return l.numbers(i, sums);
}

// The folding of a Conv sets its own lanes.
std::int64_t slices_behind(const Behind&, std::size_t, std::size_t, std::int64_t,
                           const graph::Conv&) {
  return 0;
}

}  // namespace kumiki::gen::pipeline
