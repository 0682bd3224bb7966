// SPDX-License-Identifier: Apache-2.0
// Layers side by side as a netlist and as models, and lockstep between the two.
#pragma once
#include <gtest/gtest.h>

#include "backends/lockstep/lockstep.h"
#include "backends/lockstep/report.h"
#include "backends/native/machine.h"
#include "gen/network.h"
#include "ir/check.h"

namespace kumiki::test {

struct NetworkRig {
  explicit NetworkRig(std::vector<gen::NamedLayer> the_layers,
                      ir::Family family = ir::Family::ultrascale_plus)
      : layers(std::move(the_layers)),
        builder(family),
        network(gen::build_network(builder, "rig", layers)),
        ports(ir::layout(builder.design().top())) {
    options = {.seed = 5, .resets = 3, .constrain = gen::drive(network)};
    for (const auto& n : gen::numbers(network)) options.fields[n.port] = {n.width, n.is_signed};
  }
  NetworkRig(const NetworkRig&) = delete;

  backends::LockstepResult run(ir::Machine& machine, std::uint64_t cycles) {
    const auto model = gen::network_model(network);
    options.cycles = cycles;
    backends::Stimulus stimulus(ports, options);
    auto result = backends::run_lockstep(*model, machine, stimulus, {.cycles = cycles});
    EXPECT_TRUE(result.passed()) << backends::report(builder.design(), result, "the netlist");
    return result;
  }
  backends::LockstepResult run_native(std::uint64_t cycles) {
    backends::NativeMachine machine(builder.design());
    return run(machine, cycles);
  }

  std::vector<gen::NamedLayer> layers;
  gen::Builder builder;
  gen::BuiltNetwork network;
  ir::PortLayout ports;
  backends::StimulusOptions options;
};

}  // namespace kumiki::test
