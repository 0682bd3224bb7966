// SPDX-License-Identifier: Apache-2.0
// Every legal packed dot product in lockstep with its model on every simulator, and a netlist that
// is wrong in one bit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/icarus/icarus.h"
#include "backends/lockstep/lockstep.h"
#include "backends/lockstep/report.h"
#include "backends/native/machine.h"
#include "backends/verilator/verilated_machine.h"
#include "gen/dot/layer.h"
#include "gen/network.h"

namespace kumiki::gen {
namespace {

using ::testing::HasSubstr;

// All lengths and both skews side by side: one build of one netlist.
struct AllDots {
  AllDots() {
    for (std::uint32_t terms = 1; terms <= 7; ++terms)
      for (auto skew : {dot::Skew::internal, dot::Skew::external})
        layers.push_back({fmt::format("n{}_{}", terms, dot::name(skew)),
                          "dot",
                          {},
                          dot::make_layer({.skew = skew, .terms = terms})});
    network = build_network(builder, "all_dots", layers);
    ports = ir::layout(builder.design().top());
    // Operands are eight bits wide: corners are those of each.
    for (const auto& p : ports.inputs)
      if (p.width > 1) options.fields.emplace(p.name, backends::StimulusOptions::Field{8, true});
  }
  std::vector<NamedLayer> layers;
  Builder builder;
  BuiltNetwork network;
  ir::PortLayout ports;
  backends::StimulusOptions options{.seed = 11, .cycles = 4000, .stall = 0.15, .resets = 12};
};

TEST(DotLockstep, EveryLengthOnTheNativeSimulatorAndOnVerilator) {
  AllDots all;
  auto model = network_model(all.network);
  backends::NativeMachine native(all.builder.design());
  backends::VerilatedMachine verilated(all.builder.design(),
                                       {.cache = backends::Cache(KUMIKI_TEST_TMP "/cache")});
  for (ir::Machine* machine :
       {static_cast<ir::Machine*>(&native), static_cast<ir::Machine*>(&verilated)}) {
    backends::Stimulus stimulus(all.ports, all.options);
    auto result =
        backends::run_lockstep(*model, *machine, stimulus, {.cycles = all.options.cycles});
    EXPECT_TRUE(result.passed()) << backends::report(all.builder.design(), result, "the netlist");
    EXPECT_EQ(result.cycles, 4000u);
    EXPECT_EQ(result.comparisons, 4000u * 14 * 3);
    EXPECT_GT(result.stimulus.stalls, 100u);
    EXPECT_GT(result.stimulus.resets, 10u);
    EXPECT_EQ(result.moving_output_bits, result.output_bits)
        << "every output bit was seen at 0 and at 1";
  }
}

TEST(DotLockstep, SixtyFourRunsAtOnce) {
  AllDots all;
  auto result = backends::run_lanes([&] { return network_model(all.network); },
                                    all.builder.design(), 64, all.options, {.cycles = 300});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.cycles, 300u * 64);
}

TEST(DotLockstep, IcarusAgrees) {
  AllDots all;
  all.options.cycles = 400;
  auto inputs = backends::frames(all.ports, all.options, all.options.cycles);
  auto run = backends::run_icarus(backends::verilog_netlist(all.builder.design()), inputs, {});
  backends::RecordedMachine icarus(inputs, run);
  auto model = network_model(all.network);
  backends::Stimulus stimulus(all.ports, all.options);
  auto result = backends::run_lockstep(*model, icarus, stimulus, {.cycles = all.options.cycles});
  EXPECT_TRUE(result.passed()) << backends::report(all.builder.design(), result, "Icarus");
}

// The slice above the first forgets what comes from below: Z = 0 instead of PCIN.
TEST(DotLockstep, OneWrongBitOfOpmodeIsSeenAndReported) {
  AllDots all;
  const ir::Module* m = all.builder.design().find_module("dot8x8_n7_g18");
  ASSERT_NE(m, nullptr);
  auto& module = all.builder.design().module(m->id());
  for (std::uint32_t i = 0, slices = 0; i < module.cells().size(); ++i) {
    if (module.cells()[i].kind != ir::Kind::dsp48e2 || ++slices != 2) continue;
    std::uint32_t at = 0;
    for (const ir::Pin& p : ir::prototype(ir::Kind::dsp48e2).inputs) {
      if (p.name == "OPMODE") module.mutable_inputs({i})[at + 4] = ir::net_zero;
      at += p.width;
    }
  }
  auto model = network_model(all.network);
  backends::NativeMachine native(all.builder.design());
  backends::Stimulus stimulus(all.ports, all.options);
  auto result = backends::run_lockstep(*model, native, stimulus, {.cycles = 1000});
  ASSERT_FALSE(result.passed());
  auto text = backends::report(all.builder.design(), result, "native");
  EXPECT_THAT(text, HasSubstr("n7_internal_"));
  EXPECT_THAT(text, HasSubstr("gen/dot/build.cpp"));
}

}  // namespace
}  // namespace kumiki::gen
