// SPDX-License-Identifier: Apache-2.0
// Layers of one compressor tree in lockstep with integers, on the native simulator and the emitted
// Verilog under Verilator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/flow/network.h"
#include "gen/layers/compressor/layer.h"
#include "tests/support/cache.h"

namespace kumiki::gen {
namespace compressor_lockstep_test {

using namespace compressor;

// Little effort: these trees are about exactness.
TreeOptions options(std::uint32_t pipeline, Finish finish = Finish::row) {
  return {.pipeline = pipeline, .finish = finish, .effort = 0};
}

std::vector<NamedLayer> all_layers() {
  std::vector<NamedLayer> layers;
  auto add = [&](const std::string& name, std::unique_ptr<Layer> layer) {
    layers.push_back({name, "sum", {}, std::move(layer)});
  };
  for (std::uint32_t n : {1u, 2u, 7u, 16u, 31u, 64u})
    for (std::uint32_t pipeline : {0u, 1u, 2u})
      add(fmt::format("ones{}_{}", n, pipeline), make_layer(PopcountRequest{options(pipeline), n}));
  add("ones50_ternary", make_layer(PopcountRequest{options(3, Finish::ternary), 50}));
  for (auto reading : {Reading::agreements, Reading::bipolar})
    for (std::uint32_t pipeline : {0u, 1u})
      add(fmt::format("agree{}_{}", static_cast<int>(reading), pipeline),
          make_layer(XnorPopcountRequest{options(pipeline), 9, reading}));
  for (bool is_signed : {false, true}) {
    auto sign = is_signed ? "s" : "u";
    add(fmt::format("mul5x4{}", sign), make_layer(MultiplierRequest{options(0), 5, 4, is_signed}));
    add(fmt::format("mul8x8{}", sign), make_layer(MultiplierRequest{options(1), 8, 8, is_signed}));
    TreeOptions fast = options(0);
    fast.objective = Objective::delay;
    add(fmt::format("mul16x16_fast{}", sign),
        make_layer(MultiplierRequest{fast, 16, 16, is_signed}));
    if (is_signed) add("sop_fast", make_layer(SumOfProductsRequest{fast, 2, 9, 10, is_signed}));
    add(fmt::format("sop{}", sign),
        make_layer(SumOfProductsRequest{options(2), 4, 4, 3, is_signed}));
    add(fmt::format("dot{}", sign),
        make_layer(ConstDotRequest{options(1), {3, -7, 0, 100, -128}, 6, is_signed, -77}));
  }
  add("mixed",
      make_layer(CompressorRequest{
          options(2), {{3, 9, 0, true, 1}, {5, 4, 3, false, -3}, {2, 6, 1, true, -1}}, -345}));
  return layers;
}

// CARRY8 that are two chains.
unsigned dual_blocks(const ir::Design& design) {
  unsigned dual = 0;
  for (const ir::ModuleId id : design.bottom_up()) {
    const ir::Module& m = design.module(id);
    for (const ir::Cell& c : m.cells())
      dual += c.kind == ir::Kind::carry8 && m.view(c).params[0] == 1;
  }
  return dual;
}

class CompressorLockstep : public ::testing::TestWithParam<ir::Family> {};

TEST_P(CompressorLockstep, EveryLayerTypeOnTheNativeSimulatorAndOnVerilator) {
  auto layers = all_layers();
  Builder builder(GetParam());
  BuiltNetwork network = build_network(builder, "compressors", layers);
  if (GetParam() != ir::Family::series7) {
    EXPECT_GT(dual_blocks(builder.design()), 10u);
  }
  auto ports = ir::layout(builder.design().top());
  auto model = network_model(network);
  backends::NativeMachine native(builder.design());
  backends::VerilatedMachine verilated(builder.design(),
                                       {.cache = backends::Cache(test::shared_cache)});
  backends::StimulusOptions stimulus_options{.seed = 3, .cycles = 4000, .stall = 0.1};
  for (ir::Machine* machine :
       {static_cast<ir::Machine*>(&native), static_cast<ir::Machine*>(&verilated)}) {
    backends::Stimulus stimulus(ports, stimulus_options);
    auto result = backends::run_lockstep(*model, *machine, stimulus, {.cycles = 4000});
    EXPECT_TRUE(result.passed()) << backends::report(builder.design(), result, "the netlist");
    EXPECT_GT(result.stimulus.stalls, 100u);
    // Nine products of +1 and -1 have an odd sum: the lowest bit of two layers stands still.
    EXPECT_EQ(result.moving_output_bits, result.output_bits - 2)
        << "every other output bit was seen at 0 and at 1";
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CompressorLockstep,
                         ::testing::Values(ir::Family::series7, ir::Family::ultrascale_plus));

// One truth table bit is wrong: lockstep sees it.
TEST(CompressorLockstep, OneWrongBitOfATruthTableIsSeen) {
  Builder builder(ir::Family::series7);
  std::vector<NamedLayer> layers;
  layers.push_back({"ones", "popcount", {}, make_layer(PopcountRequest{options(0), 12})});
  BuiltNetwork network = build_network(builder, "one", layers);
  ir::Module& m = builder.design().module(network.layers[0].module);
  unsigned seen = 0, luts = 0;
  for (std::uint32_t i = 0; i < m.cells().size(); ++i) {
    if (m.cells()[i].kind != ir::Kind::lut6_2) continue;
    ++luts;
    // O6 with all five inputs at 0: a value that every heap meets.
    m.mutable_params({i})[0] ^= std::uint64_t{1} << 32;
    auto model = network_model(network);
    backends::NativeMachine native(builder.design());
    backends::Stimulus stimulus(ir::layout(builder.design().top()), {.seed = 1, .cycles = 300});
    seen += !backends::run_lockstep(*model, native, stimulus, {.cycles = 300}).passed();
    m.mutable_params({i})[0] ^= std::uint64_t{1} << 32;
  }
  EXPECT_GT(luts, 2u);
  EXPECT_EQ(seen, luts);
}

}  // namespace compressor_lockstep_test
}  // namespace kumiki::gen
