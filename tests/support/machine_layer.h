// SPDX-License-Identifier: Apache-2.0
// Machines of a pipeline as layers side by side, so that the rig of networks runs them in lockstep,
// in lanes, under Verilator and with mutations.
#pragma once
#include "gen/hdl/model.h"
#include "gen/layers/pipeline/machine.h"
#include "tests/support/network_rig.h"

namespace kumiki::test {

// A machine's model as the rig wants it.
class MachineBehaviour {
 public:
  explicit MachineBehaviour(std::shared_ptr<const gen::pipeline::Machine> machine)
      : model_(std::move(machine)) {}
  void power_up() { model_.reset(); }
  gen::pipeline::MachineOut<gen::Values> step(const gen::pipeline::MachineIn<gen::Values>& in) {
    auto shown = model_.shown();
    model_.clock(in);
    return shown;
  }

 private:
  gen::pipeline::MachineModel model_;
};

class MachineLayer : public gen::Layer {
 public:
  explicit MachineLayer(std::shared_ptr<const gen::pipeline::Machine> machine)
      : machine_(std::move(machine)) {}
  std::string plan_text() const override { return machine_->text(); }
  void write_plan(gen::config::Writer&) const override {}
  gen::Facts facts() const override {
    return {.slices = machine_->slices(), .levels = machine_->levels()};
  }
  ir::Module& build(gen::Builder& builder, ir::OriginId origin) const override {
    return machine_->build_alone(builder, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<
        gen::Model<gen::pipeline::MachineIn, gen::pipeline::MachineOut, MachineBehaviour>>(
        machine_->input_shape(), machine_->output_shape(), MachineBehaviour(machine_));
  }

 private:
  std::shared_ptr<const gen::pipeline::Machine> machine_;
};

using Machines = std::vector<std::shared_ptr<const gen::pipeline::Machine>>;

// Of every plan, or of every so many.
template <class Plans>
Machines machines_of(const Plans& plans, std::size_t step = 1) {
  Machines all;
  for (std::size_t i = 0; i < plans.size(); i += step) all.push_back(machine(plans[i]));
  return all;
}

struct MachineRig : NetworkRig {
  explicit MachineRig(const Machines& machines, ir::Family family = ir::Family::ultrascale_plus)
      : NetworkRig(layers_of("machine", machines,
                             [](const auto& m) { return std::make_shared<MachineLayer>(m); }),
                   family) {}
};

}  // namespace kumiki::test
