// SPDX-License-Identifier: Apache-2.0
// Neurons of every form in lockstep with the count of agreements, natively and under Verilator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/flow/network.h"
#include "gen/layers/neuron/neuron.h"
#include "gen/layers/neuron/serial.h"
#include "tests/support/cache.h"
#include "tests/support/long_form.h"

namespace kumiki::gen {
namespace neuron_lockstep_test {

using namespace neuron;

std::vector<NamedLayer> all_layers() {
  std::vector<NamedLayer> layers;
  auto add = [&](std::uint32_t n, Form form, bool embedded, bool fixed, std::uint32_t pipeline) {
    NeuronRequest r;
    r.effort = 0;
    r.pipeline = pipeline;
    r.inputs = n;
    r.form = form;
    if (embedded) {
      r.weights.emplace();
      for (std::uint32_t i = 0; i < n; ++i) r.weights->push_back(i % 3 == 0);
    }
    if (fixed) r.threshold = n / 2;
    layers.push_back(
        {fmt::format("n{}_{}{}{}_{}", n, static_cast<int>(form), embedded, fixed, pipeline),
         "bnn_neuron",
         {},
         make_neuron(r)});
  };
  for (std::uint32_t n : test::long_form() ? std::vector{5u, 16u, 33u} : std::vector{5u, 16u})
    for (bool embedded : {false, true})
      for (bool fixed : {false, true}) {
        for (std::uint32_t pipeline : {0u, 1u, 2u})
          add(n, Form::absorbed, embedded, fixed, pipeline);
        add(n, Form::gpc, embedded, fixed, 0);
        add(n, Form::gpc_bias, embedded, fixed, 0);
      }
  for (bool embedded : {false, true})
    for (bool fixed : {false, true}) {
      SerialRequest r;
      r.effort = 0;
      r.pipeline = fixed;
      r.inputs = 25;  // 9, 9 and 7
      r.cycles = 3;
      if (embedded) {
        r.weights.emplace();
        for (std::uint32_t i = 0; i < r.inputs; ++i) r.weights->push_back(i % 3 == 0);
      }
      if (fixed) r.threshold = 12;
      layers.push_back(
          {fmt::format("serial{}{}", embedded, fixed), "bnn_serial", {}, make_serial(r)});
    }
  return layers;
}

TEST(NeuronLockstep, EveryFormOnTheNativeSimulatorAndOnVerilator) {
  auto layers = all_layers();
  Builder builder(ir::Family::series7);
  BuiltNetwork network = build_network(builder, "neurons", layers);
  auto ports = ir::layout(builder.design().top());
  auto model = network_model(network);
  backends::NativeMachine native(builder.design());
  backends::VerilatedMachine verilated(builder.design(),
                                       {.cache = backends::Cache(test::shared_cache)});
  for (ir::Machine* machine :
       {static_cast<ir::Machine*>(&native), static_cast<ir::Machine*>(&verilated)}) {
    backends::Stimulus stimulus(ports, {.seed = 5, .cycles = 3000, .stall = 0.1});
    auto result = backends::run_lockstep(*model, *machine, stimulus, {.cycles = 3000});
    EXPECT_TRUE(result.passed()) << backends::report(builder.design(), result, "the netlist");
    EXPECT_EQ(result.moving_output_bits, result.output_bits)
        << "every output bit was seen at 0 and at 1";
  }
}

}  // namespace neuron_lockstep_test
}  // namespace kumiki::gen
