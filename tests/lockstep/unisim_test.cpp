// SPDX-License-Identifier: Apache-2.0
// A folder of vendor models under Icarus, here of ours in the vendor's manner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/emit/verilog/verilog.h"
#include "backends/sim/icarus/icarus.h"
#include "backends/sim/lockstep/vectors.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/compressor/layer.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/lut_macc/layer.h"
#include "gen/layers/neuron/neuron.h"
#include "ir/error.h"
#include "tests/support/network_rig.h"
#include "tests/support/plain_models.h"

namespace kumiki::backends {
namespace unisim_test {

namespace fs = std::filesystem;
using namespace gen;
using ::testing::HasSubstr;

// Layers that are tables more than anything else: pipelined counts, neurons, sums of products.
std::vector<NamedLayer> layers_of_tables() {
  using namespace compressor;
  const TreeOptions piped{.pipeline = 1, .effort = 0};
  std::vector<NamedLayer> layers;
  const auto add = [&](const std::string& name, std::unique_ptr<Layer> layer) {
    layers.push_back({name, "rig", {}, std::move(layer)});
  };
  add("ones", make_layer(PopcountRequest{piped, 48}));
  add("agree", make_layer(XnorPopcountRequest{piped, 9, Reading::bipolar}));
  add("product", make_layer(MultiplierRequest{{.pipeline = 0, .effort = 0}, 5, 4, true}));
  add("weighted", make_layer(ConstDotRequest{piped, {3, -7, 0, 100}, 6, true, -77}));
  add("macc", lut_macc::make_layer({.terms = 7}));
  add("dot", dot::make_layer({.terms = 5}));
  add("dot2x", dot::make_layer({.terms = 3, .clocking = dot::Clocking::twice}));
  for (const std::uint32_t stages : {0u, 1u}) {
    neuron::NeuronRequest r;
    r.effort = 0, r.pipeline = stages, r.inputs = 16, r.threshold = 8;
    add(fmt::format("neuron{}", stages), neuron::make_neuron(r));
  }
  return layers;
}

class Unisim : public ::testing::Test {
 protected:
  void SetUp() override {
    folder =
        fs::path(KUMIKI_TEST_TMP) /
        ("unisim_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    models = tests::write_plain_models(folder);
  }
  static VerilogNetlist count_to_eleven(Builder& builder) {
    auto& module = builder.design().add_module("count");
    Scope s(builder, module);
    auto c = counter(
        s,
        {.modulo = 11, .enable = s.input<UInt>("en", 1)[0], .reset = s.input<UInt>("rst", 1)[0]});
    s.output("value", c.value);
    s.finish();
    builder.design().set_top(module.id());
    return verilog_netlist(builder.design());
  }

  fs::path folder, models;
  Builder builder;
};

TEST_F(Unisim, RunsInLockstepWithTheNativeSimulator) {
  const auto netlist = count_to_eleven(builder);
  auto ports = ir::layout(builder.design().top());
  StimulusOptions options{.seed = 3, .cycles = 500, .stall = 0.2, .resets = 6};
  auto inputs = frames(ports, options, options.cycles);
  RecordedMachine vendor(inputs, run_icarus(netlist, inputs, {.unisim = models}));
  NativeMachine native(builder.design());
  Stimulus stimulus(ports, options);
  auto result = run_lockstep(native, vendor, stimulus, {.cycles = options.cycles});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.moving_output_bits, 4u);
}

// Inputs that are 0 from time 0 on are no event: such a table would answer x until one changes.
TEST_F(Unisim, TablesThatWaitForAnEventAnswerInTheFirstCycle) {
  test::NetworkRig rig(layers_of_tables());
  const auto netlist = verilog_netlist(rig.design());
  constexpr std::uint64_t cycles = 60;
  for (const std::uint64_t seed : {1, 7}) {
    rig.options.seed = seed;
    rig.options.cycles = cycles;
    const auto inputs = frames(rig.ports, rig.options, cycles);
    RecordedMachine vendor(inputs, run_icarus(netlist, inputs, {.unisim = models}));
    EXPECT_GT(rig.run(vendor, cycles).comparisons, cycles);
  }
}

// The testbench that `gen --vectors` writes has the same clock and the same models to deal with.
TEST_F(Unisim, GoldenVectorsPassOnThem) {
  test::NetworkRig rig(layers_of_tables());
  const ir::Names names(rig.design());
  OutputSet out;
  auto files = write_verilog(names, out);
  rig.options.cycles = 60;
  Stimulus stimulus(rig.ports, rig.options);
  const auto bench = write_vectors(names, record_vectors(*rig.model(), stimulus, 60), out);
  out.commit(folder / "out");
  std::vector<std::string> compile{
      "iverilog", "-g2001",     "-o",    "replay",        "-s",       bench, "-s", "glbl",
      "-y",       "../unisims", "-Wall", "-Wno-portbind", "../glbl.v"};
  files.push_back("vectors/" + bench + ".v");
  compile.insert(compile.end(), files.begin(), files.end());
  const auto compiled = run_process(compile, folder / "out");
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  EXPECT_EQ(compiled.output, "");
  EXPECT_THAT(run_process({"vvp", "-n", "replay"}, folder / "out").output,
              HasSubstr("PASS: 60 cycles"));
}

TEST_F(Unisim, NamesEveryFileThatIsMissing) {
  const auto netlist = count_to_eleven(builder);
  fs::remove(models / "FDRE.v");
  try {
    run_icarus(netlist, std::vector<ir::Frame>{{0, 0}}, {.unisim = models});
    ADD_FAILURE() << "a missing model was not missed";
  } catch (const FileError& e) {
    EXPECT_THAT(e.what(), HasSubstr("FDRE.v"));
  }
}

TEST_F(Unisim, WantsTheGlobalReset) {
  const auto netlist = count_to_eleven(builder);
  fs::remove(folder / "glbl.v");
  EXPECT_THROW(run_icarus(netlist, std::vector<ir::Frame>{{0, 0}}, {.unisim = models}), FileError);
}

}  // namespace unisim_test
}  // namespace kumiki::backends
