// SPDX-License-Identifier: Apache-2.0
// The layer type bnn_dense: its netlist, its keys, and a configured layer.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/cell.h"
#include "gen/blocks/compressor/picture.h"
#include "gen/blocks/compressor/settle.h"
#include "gen/layers/compressor/tree.h"
#include "gen/layers/neuron/dense.h"
#include "gen/layers/neuron/messages.h"
#include "gen/layers/neuron/reference.h"

namespace kumiki::gen::neuron {

using namespace compressor;
using compressor::Bit;  // of a heap
using config::field;

namespace {

UInt build_dense(Scope& s, const DensePlan& plan, const std::vector<UInt>& x, Net enable) {
  const std::uint32_t pipeline = plan.request.pipeline;
  auto counts = build_counts(s, plan, x);
  Settled settled(s.module());
  if (plan.shares() && pipeline > 0) {
    std::vector<Net> all;
    for (const auto& c : counts) all.insert(all.end(), c.begin(), c.end());
    UInt q = s.named("counts", settled_register(s, settled, all, enable));
    std::uint32_t next = 0;
    for (auto& c : counts)
      for (Net& n : c) n = q[next++];
  }
  std::vector<Net> y;
  for (const DenseNeuron& neuron : plan.neurons) {
    if (!neuron.has_tree()) {
      y.push_back(neuron.like ? y[*neuron.like] : ir::constant(*neuron.constant));
      continue;
    }
    const TreePlan& tree = plan.trees[neuron.tree];
    Heap heap(plan.carry_column + 1);
    for (const auto& use : neuron.uses)
      for (unsigned b = 0; b < counts[use.count].size(); ++b)
        heap.add(
            b, Bit{use.complement ? Bit::Form::inverted : Bit::Form::plain, counts[use.count][b]});
    heap.add_constant(neuron.bias);
    Net one = compress_carry(s, heap, tree, {pipeline, enable, &settled});
    // Neurons with a shallower tree are delayed to match the others.
    unsigned wait = plan.latency - (plan.shares() && pipeline > 0) - latency(tree, pipeline);
    for (; wait > 0; --wait) one = settled_register(s, settled, std::span(&one, 1), enable)[0];
    y.push_back(one);
  }
  return bits(s, y);
}

class DenseLayer : public Layer {
 public:
  explicit DenseLayer(DensePlan plan) : plan_(std::move(plan)) {}

  std::string plan_text() const override {
    std::string text = fmt::format(
        "layer        {} neurons of {} inputs, weights embedded\n"
        "sharing      {}\n"
        "LUTs         {}, {:.1f} a neuron{}\n"
        "latency      {}\n",
        plan_.neurons.size(), plan_.request.inputs,
        !plan_.shares() ? "none"
                        : fmt::format("groups of {} inputs: {} counters, {} LUTs", plan_.group,
                                      plan_.counts.size(), plan_.first_layer_luts()),
        plan_.luts(), double(plan_.luts()) / double(plan_.neurons.size()),
        plan_.alone_luts == 0
            ? ""
            : fmt::format("; {} at least if nothing were shared", plan_.alone_luts),
        plan_.latency == 0 ? "combinational" : fmt::format("{} clocks", plan_.latency));
    return text + (plan_.trees.empty() ? "" : tree_text(plan_.trees[0]));
  }

  void write_plan(config::Writer& w) const override {
    const auto count = [&](auto DenseNeuron::*what) {
      return std::ranges::count_if(plan_.neurons,
                                   [&](const DenseNeuron& n) { return (n.*what).has_value(); });
    };
    w.member("n", plan_.request.inputs);
    w.member("neurons", plan_.neurons.size());
    w.member("group", plan_.group);
    w.member("shared_counters", plan_.shares() ? plan_.counts.size() : 0);
    w.member("shared_luts", plan_.shares() ? plan_.first_layer_luts() : 0);
    w.member("constant_neurons", count(&DenseNeuron::constant));
    w.member("repeated_neurons", count(&DenseNeuron::like));
    w.member("luts_alone_at_least", plan_.alone_luts);
    w.member("luts", plan_.luts());
    w.member("latency", plan_.latency);
    w.member("results_per_cycle", 1);
    w.objects("trees", plan_.trees, [&](const TreePlan& tree) { write_tree(w, tree); });
  }
  Facts facts() const override {
    Facts all{.latency = plan_.latency};
    for (const auto& tree : plan_.trees)
      all.levels = std::max(
          all.levels, compressor::levels_between(tree, plan_.request.pipeline, plan_.latency));
    return all;
  }

  std::vector<Picture> pictures() const override {
    if (plan_.trees.empty()) return {};
    return {{"tree", picture_svg(plan_.trees[0])}};
  }

  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_datapath(builder, origin, plan_.datapath(),
                          [&](Scope& s, const std::vector<UInt>& x, Net enable) {
                            return build_dense(s, plan_, x, enable);
                          });
  }

  Definition definition() const override { return reference(plan_.request, plan_.latency); }
  std::vector<Beat> beats() const override { return compressor::beats(plan_.datapath()); }

  std::unique_ptr<ir::Machine> model() const override {
    return datapath_model(plan_.datapath(), [r = plan_.request](const WordValues& x) {
      WordValues y;
      for (std::size_t m = 0; m < r.weights.size(); ++m) {
        std::int64_t agree = 0;
        for (std::size_t i = 0; i < x.size(); ++i) agree += x[i] == r.weights[m][i];
        const auto* one = std::get_if<0>(&r.threshold);
        y.push_back(agree >= (one ? *one : std::get<1>(r.threshold)[m]));
      }
      return y;
    });
  }

 private:
  DensePlan plan_;
};

config::Violations check_columns(const DenseRequest& r) {
  if (r.weights.empty() || r.weights[0].size() == r.inputs) return {};
  return {{code::weights_per_input, "weights", fmt::format("has rows of {}", r.weights[0].size()),
           fmt::format("must have rows of {}, one for each input", r.inputs)}};
}

config::Violations check_thresholds(const DenseRequest& r) {
  const auto* list = std::get_if<1>(&r.threshold);
  if (list && list->size() != r.weights.size())
    return {{code::thresholds_per_neuron, "threshold", fmt::format("has {} entries", list->size()),
             fmt::format("must be one number, or {}, one for each neuron", r.weights.size())}};
  for (std::size_t m = 0; m < r.weights.size(); ++m) {
    std::uint32_t t = list ? (*list)[m] : std::get<0>(r.threshold);
    if (t > r.inputs + 1)
      return {{code::threshold_unreachable, "threshold", "can never be reached",
               fmt::format("must be 0 (always one) to {} (never)", r.inputs + 1)}};
  }
  return {};
}

config::Violations check_sharing(const DenseRequest& r) {
  if (r.sharing != Sharing::seven || r.pipeline == 0 || r.pipeline > 2) return {};
  return {{code::sharing_too_deep, "sharing", "has three levels of LUTs before a register",
           "use a pipeline of 0, or of at least 3"}};
}

}  // namespace

const config::Table& dense_table() {
  using R = DenseRequest;
  static const config::TableOf<R> table{
      "bnn_dense",
      "Many binarised neurons on the same inputs: y[m] = popcount(x xnor weights[m]) >= T[m].",
      {field("inputs", &R::inputs).required().range(1, 4096).help("bits of x"),
       field("weights", &R::weights)
           .required()
           .range(0, 1)
           .rows(1, 4096)
           .columns(1, 4096)
           .or_file()
           .help("a row a neuron"),
       field("threshold", &R::threshold)
           .range(0, 4097)
           .required()
           .or_file()
           .help("the least count that gives 1: of all neurons, or one for each"),
       field("sharing", &R::sharing)
           .choices(
               {{"automatic", Sharing::automatic, "what costs least"},
                {"none", Sharing::none, "every neuron for itself"},
                {"three", Sharing::three, "counters of groups of three inputs"},
                {"six", Sharing::six, "counters of groups of six inputs"},
                {"seven", Sharing::seven, "counters of groups of seven, three levels of LUTs"}})
           .help("what neurons have in common"),
       pipeline_field<R>(), objective_field<R>(), effort_field<R>()},
      {check_columns, check_thresholds, check_sharing}};
  return table;
}

std::unique_ptr<Layer> make_dense(const DenseRequest& request) {
  return make_planned(plan_dense(request));
}
std::unique_ptr<Layer> make_planned(DensePlan plan) {
  return std::make_unique<DenseLayer>(std::move(plan));
}

}  // namespace kumiki::gen::neuron
