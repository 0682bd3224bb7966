// SPDX-License-Identifier: Apache-2.0
// The layer type bnn_neuron: keys, and a configured layer.
#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/compressor/picture.h"
#include "gen/layers/common/write.h"
#include "gen/layers/compressor/tree.h"
#include "gen/layers/neuron/messages.h"
#include "gen/layers/neuron/neuron.h"
#include "gen/layers/neuron/reference.h"

namespace kumiki::gen::neuron {

using namespace compressor;
using config::field;

namespace {

config::Violations check_weights(const NeuronRequest& r) {
  if (!r.weights || r.weights->size() == r.inputs) return {};
  return {{code::weights_per_input, "weights", fmt::format("has {} entries", r.weights->size()),
           fmt::format("must have {}, one for each input", r.inputs)}};
}

config::Violations check_threshold(const NeuronRequest& r) {
  if (!r.threshold || *r.threshold <= r.inputs + 1) return {};
  return {{code::threshold_unreachable, "threshold", "can never be reached",
           fmt::format("must be 0 (always one) to {} (never)", r.inputs + 1)}};
}

config::Violations check_pipeline(const NeuronRequest& r) {
  if (r.form == Form::absorbed || r.pipeline == 0) return {};
  return {{code::form_without_registers, "form", "has no registers",
           "use \"absorbed\", or a pipeline of 0 (\"levels\" and \"period_ns\" too)"}};
}

class NeuronLayer : public Layer {
 public:
  explicit NeuronLayer(NeuronPlan plan) : plan_(std::move(plan)) {}

  std::string plan_text() const override {
    const NeuronRequest& r = plan_.request;
    return fmt::format(
               "neuron       {} inputs, weights {}, threshold {}, form {}\n{}latency      {}\n",
               r.inputs, r.weights ? "embedded" : "as inputs",
               r.threshold ? fmt::format("{}", *r.threshold) : "as input", name(r.form),
               plan_.simple ? fmt::format("no tree      {}\n", plan_.simple.text())
               : plan_.has_bias()
                   ? fmt::format("comparison   2^{0} - T in the heap, y is the carry into "
                                 "column {0}\n",
                                 plan_.carry_column)
                   : "",
               plan_.latency == 0 ? "combinational" : fmt::format("{} clocks", plan_.latency)) +
           placement_text(plan_.placement.get()) + (plan_.simple ? "" : tree_text(plan_.tree));
  }

  void write_plan(config::Writer& w) const override {
    const NeuronRequest& r = plan_.request;
    w.member("n", r.inputs);
    w.member("form", name(r.form));
    w.member("embedded", r.weights.has_value());
    w.member("latency", plan_.latency);
    w.member("results_per_cycle", 1);
    if (r.threshold) w.member("threshold", *r.threshold);
    write_placement(w, plan_.placement.get());
    write_tree(w, plan_.tree);
    if (plan_.simple)
      w.member("luts", plan_.simple.luts);
    else
      w.member("proofs", tree_certificate(plan_.tree));
  }
  Facts facts() const override {
    Facts all{.latency = plan_.latency};
    if (plan_.placement)
      all.levels = plan_.placement->levels;
    else if (plan_.simple && plan_.latency > 0)
      all.levels = static_cast<int>(std::min(plan_.simple.levels, plan_.request.pipeline));
    else
      all.levels = compressor::levels_between(plan_.tree, plan_.request.pipeline, plan_.latency);
    return all;
  }

  std::vector<Picture> pictures() const override {
    if (plan_.simple) return {};
    return {{"tree", picture_svg(plan_.tree)}};
  }

  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_datapath(builder, origin, plan_.datapath(), neuron_builder(plan_));
  }

  Definition definition() const override { return reference(plan_.request, plan_.latency); }
  std::vector<Beat> beats() const override { return compressor::beats(plan_.datapath()); }

  std::unique_ptr<ir::Machine> model() const override {
    return datapath_model(plan_.datapath(), [r = plan_.request](const WordValues& in) {
      const std::size_t n = r.inputs;
      std::int64_t agree = 0;
      for (std::size_t i = 0; i < n; ++i)
        agree += in[i] == (r.weights ? (*r.weights)[i] : in[n + i]);
      return WordValues{agree >= (r.threshold ? std::int64_t{*r.threshold} : in.back())};
    });
  }

 private:
  NeuronPlan plan_;
};

}  // namespace

const config::Table& neuron_table() {
  using R = NeuronRequest;
  static const config::TableOf<R> table{
      "bnn_neuron",
      "A binarised neuron: y = popcount(x xnor w) >= T.",
      {field("inputs", &R::inputs).required().range(1, 65536).help("bits of x"),
       field("weights", &R::weights)
           .range(0, 1)
           .length(1, 65536)
           .absent("the port w")
           .or_file()
           .help("embedded weights"),
       field("threshold", &R::threshold)
           .range(0, 65537)
           .absent("the port t")
           .help("the least count that gives 1"),
       field("form", &R::form)
           .choices({{"absorbed", Form::absorbed, "XNORs taken in by any stage, carry comparison"},
                     {"gpc", Form::gpc, "the paper's tree, adder and comparison"},
                     {"gpc-bias", Form::gpc_bias, "the paper's tree and carry comparison"}})
           .help("how it is built"),
       pipeline_field<R>(), levels_field<R>(), period_field<R>(), objective_field<R>(),
       effort_field<R>()},
      {check_weights, check_threshold, check_pipeline, compressor::check_registers}};
  return table;
}

std::unique_ptr<Layer> make_planned(NeuronPlan plan) {
  return std::make_unique<NeuronLayer>(std::move(plan));
}

std::unique_ptr<Layer> make_neuron(const NeuronRequest& request) {
  return make_planned(plan_neuron(request));
}

}  // namespace kumiki::gen::neuron
