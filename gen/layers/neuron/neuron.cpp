// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/neuron/neuron.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/solver/paper.h"
#include "gen/hdl/arithmetic.h"
#include "gen/layers/neuron/messages.h"
#include "ir/error.h"

namespace kumiki::gen::neuron {

using namespace compressor;
using compressor::Bit;  // of a heap

const char* name(Form form) {
  constexpr const char* names[] = {"absorbed", "gpc", "gpc-bias"};
  return names[static_cast<int>(form)];
}

namespace {

void check(const NeuronRequest& r) {
  if (r.inputs == 0)
    throw DesignError(code::no_inputs, "the neuron has no inputs; it must have at least 1");
  if (r.weights && r.weights->size() != r.inputs)
    throw DesignError(code::weights_per_input,
                      fmt::format("there are {} weights for {} inputs; give one for each input",
                                  r.weights->size(), r.inputs));
  if (r.threshold && *r.threshold > r.inputs + 1)
    throw DesignError(
        code::threshold_unreachable,
        fmt::format("the threshold is {} for {} inputs; it must be 0 (always one) to {} (never)",
                    *r.threshold, r.inputs, r.inputs + 1));
}

// The width of a count of the inputs.
unsigned sum_bits(const NeuronRequest& r) {
  return static_cast<unsigned>(std::bit_width(r.inputs));
}

// The paper's first layer: counts pairs in groups of three, or bits in groups of six.
Stage first_layer(const Shape& shape) {
  Stage stage;
  auto put = [&](const char* what, unsigned n) {
    stage.counters.insert(stage.counters.end(), n, {element_index(what), 0});
  };
  put("p3", (shape.pairs[0] + 2) / 3);
  put("c63", shape.pairs[0] > 0 ? 0 : shape.bits[0] / 6);
  return stage;
}

TreePlan paper_tree(const Shape& shape, const NeuronRequest& r) {
  TreePlan plan{.shape = shape,
                .finish = r.form == Form::gpc_bias ? Finish::carry : Finish::row,
                .objective = Objective::paper};
  plan.stages.push_back(first_layer(shape));
  TreePlan rest = plan;
  rest.shape = next_shape(shape, plan, 0);
  rest.stages.clear();
  TreePlan tree = solve_paper(rest, {.effort = r.effort});
  plan.stages.insert(plan.stages.end(), tree.stages.begin(), tree.stages.end());
  plan.bound = tree.bound;
  plan.is_proven = tree.is_proven;
  return plan;
}

// Whether so many bits are inverted (those of T, or of inputs with weight 0) that some would have
// to enter on pins of chains.
bool has_inverted_bits(const NeuronRequest& r) {
  return !r.threshold || (r.weights && std::count(r.weights->begin(), r.weights->end(), 1) <
                                           std::ssize(*r.weights) / 4);
}

Shape shape_of(const NeuronPlan& plan) {
  Builder scratch;
  Scope s(scratch, scratch.design().add_module("shape"));
  const std::uint32_t n = plan.request.inputs;
  UInt x = s.input<UInt>("x", n), w = s.input<UInt>("w", n), t;
  if (plan.threshold_bits > 0) t = s.input<UInt>("t", plan.threshold_bits);
  return neuron_heap(plan,
                     {{x.nets().begin(), x.nets().end()}, {w.nets().begin(), w.nets().end()}, t})
      .shape();
}

void place_registers(NeuronPlan& plan) {
  plan.placement = placed(plan.request, plan.datapath(), neuron_builder(plan));
  if (plan.placement) plan.latency = plan.placement->latency;
}

}  // namespace

NeuronPlan plan_neuron(const NeuronRequest& r) {
  check(r);
  NeuronPlan plan{.request = r};
  std::uint32_t most = r.threshold ? *r.threshold : 0;
  if (!r.threshold) {
    plan.threshold_bits = static_cast<unsigned>(std::bit_width(r.inputs + 1));
    most = (1u << plan.threshold_bits) - 1;
  }
  plan.carry_column = static_cast<unsigned>(std::bit_width(r.inputs + most));
  if (r.form == Form::absorbed)
    plan.simple = plan_simple(r.inputs, r.weights ? 1 : 2, r.threshold, plan.threshold_bits);
  if (plan.simple) {
    const std::vector<unsigned> empty(plan.carry_column + 1, 0);
    plan.tree = {.shape = {empty, empty}, .finish = Finish::carry, .objective = r.objective};
    plan.latency = latency(plan.simple, r.pipeline);
    place_registers(plan);
    return plan;
  }
  Shape shape = shape_of(plan);
  if (r.form == Form::absorbed) {
    TreeOptions o = r;
    o.finish = Finish::carry;
    o.only_luts = r.objective == Objective::delay && has_inverted_bits(r);
    plan.tree = plan_tree(shape, o);
  } else {
    plan.tree = paper_tree(shape, r);
  }
  plan.latency = latency(plan.tree, r.pipeline);
  place_registers(plan);
  return plan;
}

namespace {

std::vector<Bit> agreements(const NeuronRequest& r, const NeuronNets& in) {
  std::vector<Bit> bits;
  for (std::uint32_t i = 0; i < r.inputs; ++i)
    bits.push_back(!r.weights
                       ? Bit{Bit::Form::xnor_, in.x[i], in.w[i]}
                       : Bit{(*r.weights)[i] ? Bit::Form::plain : Bit::Form::inverted, in.x[i]});
  return bits;
}

}  // namespace

Heap neuron_heap(const NeuronPlan& plan, const NeuronNets& in) {
  const NeuronRequest& r = plan.request;
  Heap heap(plan.has_bias() ? plan.carry_column + 1 : sum_bits(r));
  for (const Bit& b : agreements(r, in)) heap.add(0, b);
  if (!plan.has_bias()) return heap;
  const std::int64_t end = std::int64_t{1} << plan.carry_column;
  if (r.threshold) {
    heap.add_constant(end - *r.threshold);
    return heap;
  }
  // 2^b - T = (2^b - 1 - T) + 1; the parenthesis is T with its bits inverted.
  for (unsigned i = 0; i < plan.threshold_bits; ++i) heap.add(i, Bit{Bit::Form::inverted, in.t[i]});
  heap.add_constant(end - (std::int64_t{1} << plan.threshold_bits) + 1);
  return heap;
}

Net build_neuron(Scope& s, const NeuronPlan& plan, const NeuronNets& in, Net enable) {
  const NeuronRequest& r = plan.request;
  if (plan.simple)
    return build_simple(s, plan.simple, agreements(r, in), r.threshold, in.t, {r.pipeline, enable});
  Heap heap = neuron_heap(plan, in);
  if (plan.has_bias()) return compress_carry(s, heap, plan.tree, {r.pipeline, enable});
  UInt sum = compress(s, heap, plan.tree, {r.pipeline, enable});
  const std::uint32_t width = std::max(sum.width(), sum_bits(r) + 1);
  sum = zext(s, sum, width);
  UInt t = r.threshold ? s.constant(*r.threshold, width)
                       : zext(s, delay(s, in.t, latency(plan.tree, r.pipeline), enable), width);
  return at_least(s, sum, t);
}

compressor::BuildWords neuron_builder(const NeuronPlan& plan) {
  return [&plan](Scope& s, const std::vector<UInt>& in, Net enable) {
    NeuronNets nets;
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < plan.request.inputs; ++i) nets.x.push_back(in[next++][0]);
    if (!plan.request.weights)
      for (std::uint32_t i = 0; i < plan.request.inputs; ++i) nets.w.push_back(in[next++][0]);
    if (!plan.request.threshold) nets.t = in[next];
    return bits(s, {build_neuron(s, plan, nets, enable)});
  };
}

std::string NeuronPlan::module_name() const {
  return fmt::format("bnn_neuron{}{}{}{}", request.inputs,
                     request.form == Form::absorbed ? ""
                     : request.form == Form::gpc    ? "_gpc"
                                                    : "_gpc_bias",
                     request.weights ? "_embedded" : "",
                     request.threshold ? fmt::format("_t{}", *request.threshold) : "");
}

Datapath NeuronPlan::datapath() const {
  const std::uint32_t n = request.inputs;
  Datapath path{.module = module_name(),
                .about = fmt::format("y = popcount(x xnor w) >= T, {} inputs, form {}, {} stages",
                                     n, name(request.form), tree.stages.size()),
                .in = {{"x", n, 1}},
                .out = {"y", 1, 1},
                .latency = latency,
                .placement = placement};
  if (!request.weights) path.in.push_back({"w", n, 1});
  if (!request.threshold) path.in.push_back({"t", 1, threshold_bits});
  return path;
}

}  // namespace kumiki::gen::neuron
