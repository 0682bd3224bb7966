// SPDX-License-Identifier: Apache-2.0
// Layers side by side as a netlist and as models, and lockstep between the two.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/mutation/mutation.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/flow/run.h"
#include "ir/check.h"

namespace kumiki::test {

// A layer of every request, with numbers as names.
template <class Requests, class Make>
std::vector<gen::NamedLayer> layers_of(const std::string& type, const Requests& requests,
                                       Make make_layer) {
  std::vector<gen::NamedLayer> all;
  for (const auto& r : requests)
    all.push_back({fmt::format("{}{}", type, all.size()), type, {}, make_layer(r)});
  return all;
}

struct NetworkRig {
  explicit NetworkRig(std::vector<gen::NamedLayer> the_layers,
                      ir::Family family = ir::Family::ultrascale_plus)
      : layers(std::move(the_layers)),
        builder(family),
        network(gen::build_network(builder, "rig", layers)),
        ports(ir::layout(builder.design().top())) {
    options = flow::stimulus_of(network);
    options.seed = 5;
    options.resets = 3;
  }
  NetworkRig(const NetworkRig&) = delete;

  const ir::Design& design() const { return builder.design(); }
  std::unique_ptr<ir::Machine> model() const { return gen::network_model(network); }

  backends::LockstepResult run(ir::Machine& machine, std::uint64_t cycles) {
    const auto reference = model();
    options.cycles = cycles;
    backends::Stimulus stimulus(ports, options);
    auto result = backends::run_lockstep(*reference, machine, stimulus, {.cycles = cycles});
    EXPECT_TRUE(result.passed()) << backends::report(design(), result, "the netlist");
    EXPECT_EQ(result.cycles, cycles);
    return result;
  }
  backends::LockstepResult run_native(std::uint64_t cycles) {
    EXPECT_EQ(ir::check(design(), {.warnings = false}).size(), 0u);
    backends::NativeMachine machine(design());
    return run(machine, cycles);
  }
  backends::LockstepResult run_verilated(std::uint64_t cycles, const std::string& cache) {
    backends::VerilatedMachine machine(design(), {.cache = backends::Cache(cache)});
    return run(machine, cycles);
  }
  void run_lanes(std::uint64_t cycles) {
    const auto result =
        backends::run_lanes([&] { return model(); }, design(), 64, options, {.cycles = cycles});
    EXPECT_TRUE(result.passed()) << backends::report(design(), result, "native");
    EXPECT_EQ(result.cycles, cycles * 64);
  }

  // Sixty-four runs look at netlists with one changed cell each; resets in every second run, or as
  // many as the options say in all of them.
  backends::MutationResult mutate(std::size_t count, std::uint64_t cycles,
                                  std::uint64_t survivor_cycles, bool half_without_reset = false) {
    std::vector<backends::Stimulus> runs;
    for (unsigned r = 0; r < backends::lane_count; ++r) {
      auto one = options;
      one.seed = 100 + r;
      one.cycles = cycles;
      if (half_without_reset) one.resets = r % 2;
      runs.emplace_back(ports, one);
    }
    return backends::try_mutations(
        builder.design(), [&] { return model(); },
        [&](unsigned run, std::size_t, ir::Frame& in) { runs[run].next(in); },
        {.seed = 3, .count = count, .cycles = cycles, .survivor_cycles = survivor_cycles});
  }
  // Nearly every change that matters is caught, and lockstep itself catches more than `seen`.
  void expect_mutants_seen(std::size_t seen, std::uint64_t cycles = 300,
                           std::uint64_t survivor_cycles = 600, bool half_without_reset = false,
                           double caught = 0.95) {
    const auto result = mutate(150, cycles, survivor_cycles, half_without_reset);
    EXPECT_EQ(result.tried, 150u);
    EXPECT_GT(result.by_lockstep, seen);
    std::string missed;
    for (const auto& m : result.missed) missed += backends::to_string(design(), m) + "\n";
    EXPECT_GE(result.caught(), caught) << missed;
  }

  std::vector<gen::NamedLayer> layers;
  gen::Builder builder;
  gen::BuiltNetwork network;
  ir::PortLayout ports;
  backends::StimulusOptions options;
};

}  // namespace kumiki::test
