// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/layer.h"

#include "gen/graph/picture.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/array/build.h"
#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/model.h"
#include "gen/layers/array/picture.h"
#include "gen/layers/array/setup.h"
#include "gen/layers/array/stimulus.h"

namespace kumiki::gen::array {
namespace {

class ArrayLayer : public Layer {
 public:
  explicit ArrayLayer(Program program)
      : program_(std::move(program)),
        plan_(program_.plan),
        in_(input_shape(plan_)),
        out_(output_shape(plan_)) {}
  const Program& program() const { return program_; }
  std::string plan_text() const override {
    return to_text(plan_) + (program_.lowering ? lowering_text(program_) : "") +
           to_text(program_.layers);
  }
  void write_plan(config::Writer& w) const override {
    write(w, plan_);
    if (program_.lowering) write_lowering(w, program_);
    if (!program_.layers.empty()) w.member("network", program_.layers);
  }
  // An element computes one product in every clock in which it has a step. The number of such
  // clocks depends on the network, not on the array.
  Facts facts() const override {
    return {.macs_per_clock = static_cast<double>(plan_.elements()),
            .slices = plan_.slices() + plan_.output_slices(),
            .levels = 4};
  }
  std::vector<Picture> pictures() const override {
    std::vector<Picture> all{{"map", map_svg(plan_)}};
    if (program_.lowering)
      all.push_back({"network", graph::network_svg(*program_.lowering->graph)});
    return all;
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, array::build, plan_, in_, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<ArrayIn, ArrayOut, ArrayModel>>(in_, out_, ArrayModel(plan_));
  }
  Definition definition() const override {
    return Definition::none(
        "an array does what the program in its memories says, and its sequencer takes thousands of "
        "clocks to a result; simulate it in lockstep (kumiki sim)");
  }
  std::vector<Beat> beats() const override { return array::beats(plan_); }
  Drive drive() const override {
    // Every copy of the function has its own stimulus, seeded by its first frame.
    return [this, stimulus = Stimulus(plan_)](std::uint64_t cycle, ir::Frame& frame) mutable {
      ArrayIn<Values> in;
      unpack(in_, frame, in);
      if (cycle == 0) stimulus = Stimulus(plan_, in.com_data[0] + 1024 * in.cfg_data);
      stimulus.drive(cycle, in);
      pack(in_, in, frame);
    };
  }

 private:
  Program program_;
  ArrayPlan plan_;
  ArrayIn<Hardware> in_;
  ArrayOut<Hardware> out_;
};

std::unique_ptr<Layer> made(Request request, const config::Target& target) {
  request.narrow_slices = target.family == ir::Family::series7;
  return make_array(program_of(request));
}

}  // namespace

std::unique_ptr<Layer> make_array(Program program) {
  return std::make_unique<ArrayLayer>(std::move(program));
}

const Program* program_of(const Layer& layer) {
  const auto* array = dynamic_cast<const ArrayLayer*>(&layer);
  return array ? &array->program() : nullptr;
}

config::LayerType layer_type() {
  return {
      .name = "pe_array",
      .help = "an array of processing elements that runs a network from a program",
      .table = &request_table(),
      .plan = plan_with<Request, made>,
      .examples = {
          R"({"type": "pe_array", "rows": 3, "columns": 3, "accumulators": 2, "bits": 8, "weights_from": "random", "network": [{"type": "fc", "name": "f", "inputs": 4, "outputs": 5}]})"}};
}

}  // namespace kumiki::gen::array
