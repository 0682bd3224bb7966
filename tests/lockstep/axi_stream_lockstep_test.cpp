// SPDX-License-Identifier: Apache-2.0
// Layers between AXI4-Streams in lockstep with queues around their models: every stream stalls at
// random, the reset falls into the middle; and netlists that are wrong in one place.
#include "gen/flow/axi_stream/wrap.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "gen/flow/axi_stream/interfaces.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/matrix/layer.h"
#include "ir/error.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"
#include "tests/support/printed_plan.h"
#include "tests/support/wired.h"

namespace kumiki::gen {
namespace axi_stream_lockstep_test {

using matrix::MatrixRequest;

constexpr auto family = ir::Family::ultrascale_plus;

// Embedded and loaded weights; ports that are whole bytes and ports that are not.
std::vector<MatrixRequest> requests() {
  MatrixRequest loaded{.shape = {.in_channels = 3,
                                 .height = 3,
                                 .width = 4,
                                 .out_channels = 3,
                                 .kernel_height = 2,
                                 .kernel_width = 2,
                                 .padding = 1},
                       .rows = 2,
                       .columns = 1};
  MatrixRequest embedded = loaded, odd = loaded;
  embedded.values.assign(static_cast<std::size_t>(embedded.shape.weight_count()), -3);
  embedded.values.front() = 127;
  odd.activations = {.bits = 7};
  odd.weights = {.bits = 5};
  return {loaded, embedded, odd};
}

struct Streams : test::NetworkRig {
  Streams()
      : NetworkRig(test::layers_of("conv2d", requests(), [](const MatrixRequest& r) {
          std::shared_ptr<const Layer> layer = matrix::make_layer(r);
          EXPECT_TRUE(axi_stream::wrap(layer, family));
          return layer;
        })) {}
  void expect_results(const backends::LockstepResult& result) const {
    std::size_t always = 0;
    for (const auto& p : ports.outputs)
      always += p.name.ends_with("_tready") || p.name.ends_with("_tvalid") ? 1 : 0;
    EXPECT_EQ(always, 8u);  // in and out of three layers, weights of two
    EXPECT_GT(result.comparisons, result.cycles * always + 20 * layers.size());
  }
};

TEST(AxiStreamLockstep, OnTheNativeSimulatorAndOnVerilator) {
  Streams rig;
  EXPECT_EQ(ir::check(rig.design(), {.warnings = false}).size(), 0u);
  rig.expect_results(rig.run_native(8000));
  rig.expect_results(rig.run_verilated(6000, test::shared_cache));
}

// Inputs of flip-flops that are never loaded twice, and values before a reset, are seen by nobody.
TEST(AxiStreamLockstep, AChangedNetlistIsSeen) {
  Streams().expect_mutants_seen(50, 600, 2000, false, 0.94);
}

TEST(AxiStreamLockstep, PortsAreWholeBytesAndHaveTheirNames) {
  Streams rig;
  const auto width = [&](const std::string& name) -> std::uint32_t {
    for (const auto& slots : {rig.ports.inputs, rig.ports.outputs})
      for (const auto& p : slots)
        if (p.name == name) return p.width;
    return 0;
  };
  EXPECT_EQ(width("conv2d0_aresetn"), 1u);
  EXPECT_EQ(width("conv2d0_s_axis_in_tdata"), 16u);
  EXPECT_EQ(width("conv2d2_s_axis_in_tdata"), 16u);  // twice seven bits
  EXPECT_EQ(width("conv2d0_s_axis_w_tvalid"), 1u);
  EXPECT_EQ(width("conv2d1_s_axis_w_tvalid"), 0u);
  EXPECT_EQ(width("conv2d0_m_axis_out_tlast"), 1u);
  EXPECT_EQ(width("conv2d2_m_axis_out_tdata") % 8, 0u);
  EXPECT_EQ(width("conv2d0_rst") + width("conv2d0_in_valid"), 0u);
}

// As the README of the layer says, so that neither side's logic adds to the other's.
TEST(AxiStreamLockstep, ReadyOfInputsAndValidOfOutputsAreFlipFlops) {
  const Streams rig;
  std::size_t seen = 0;
  for (const BuiltLayer& l : rig.network.layers) {
    const ir::Module& module = rig.design().module(l.module);
    for (const ir::Port& port : module.ports()) {
      const auto name = rig.design().text(port.name);
      if (port.direction == ir::Direction::input ||
          (!name.ends_with("_tready") && !name.ends_with("_tvalid")))
        continue;
      const Net net = module.port_nets(port)[0];
      const bool is_flop = std::ranges::any_of(module.cells(), [&](const ir::Cell& c) {
        return (c.kind == ir::Kind::fdre || c.kind == ir::Kind::fdse) && c.out == net;
      });
      EXPECT_TRUE(is_flop) << module.name() << " " << name;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 8u);
}

TEST(AxiStreamLockstep, TheTopSaysWhichPortsAreOneStream) {
  const Streams rig;
  std::vector<std::string> said;
  for (const auto& a : backends::port_attributes(
           axi_stream::bus_interfaces(rig.network, rig.builder.design().top())))
    if (a.port == "clk" || a.port.starts_with("conv2d1_"))
      said.push_back(a.port + ": " + a.name + " " + a.value);
  const std::string axis = ": X_INTERFACE_INFO xilinx.com:interface:axis:1.0 ";
  // Two channels of 8 bits in; two sums of 12 products, 20 bits each, out.
  const std::string parameters = ": X_INTERFACE_PARAMETER TDATA_NUM_BYTES ";
  const std::string widths =
      ", TDEST_WIDTH 0, TID_WIDTH 0, TUSER_WIDTH 0, HAS_TREADY 1, HAS_TSTRB 0, HAS_TKEEP 0, "
      "HAS_TLAST ";
  EXPECT_THAT(
      said, ::testing::UnorderedElementsAre(
                "clk: X_INTERFACE_INFO xilinx.com:signal:clock:1.0 clk CLK",
                "clk: X_INTERFACE_PARAMETER ASSOCIATED_BUSIF conv2d0_s_axis_in:conv2d0_m_axis_out:"
                "conv2d0_s_axis_w:conv2d1_s_axis_in:conv2d1_m_axis_out:conv2d2_s_axis_in:"
                "conv2d2_m_axis_out:conv2d2_s_axis_w, "
                "ASSOCIATED_RESET conv2d0_aresetn:conv2d1_aresetn:conv2d2_aresetn",
                "conv2d1_aresetn: X_INTERFACE_INFO xilinx.com:signal:reset:1.0 conv2d1_aresetn RST",
                "conv2d1_aresetn: X_INTERFACE_PARAMETER POLARITY ACTIVE_LOW",
                "conv2d1_s_axis_in_tvalid" + axis + "conv2d1_s_axis_in TVALID",
                "conv2d1_s_axis_in_tvalid" + parameters + "2" + widths + "0",
                "conv2d1_s_axis_in_tdata" + axis + "conv2d1_s_axis_in TDATA",
                "conv2d1_s_axis_in_tready" + axis + "conv2d1_s_axis_in TREADY",
                "conv2d1_m_axis_out_tvalid" + axis + "conv2d1_m_axis_out TVALID",
                "conv2d1_m_axis_out_tdata" + axis + "conv2d1_m_axis_out TDATA",
                "conv2d1_m_axis_out_tlast" + axis + "conv2d1_m_axis_out TLAST",
                "conv2d1_m_axis_out_tready" + axis + "conv2d1_m_axis_out TREADY",
                "conv2d1_m_axis_out_tready" + parameters + "5" + widths + "1"));
}

// What the plan calls latency, counted at the netlist's ports: from the clock in which a word is
// taken to the one in which its result stands there.
TEST(AxiStreamLockstep, LatencyIsWhatTheNetlistTakes) {
  for (const std::int64_t terms : {1, 4, 7}) {
    std::shared_ptr<const Layer> layer = dot::make_layer({.terms = terms});
    const auto alone = layer->facts().latency;
    ASSERT_TRUE(axi_stream::wrap(layer, family));
    const auto planned = layer->facts().latency;
    ASSERT_TRUE(alone && planned);
    EXPECT_EQ(*planned, *alone + 2);
    EXPECT_EQ(tests::printed_plan(*layer)["latency"], *planned);
    test::Wired wired(*layer);
    wired.set("m_axis_out_tready", 1);
    for (const bool runs : {false, true})
      for (int i = 0; i < 4; ++i) {
        wired.set("aresetn", runs);
        wired.clock();
      }
    wired.set("s_axis_in_tvalid", 1);
    wired.clock();
    ASSERT_EQ(wired.get("s_axis_in_tready"), 1u);
    ASSERT_EQ(wired.get("m_axis_out_tvalid"), 0u);
    wired.set("s_axis_in_tvalid", 0);
    std::int64_t taken = 0;
    do {
      wired.clock();
      ++taken;
    } while (wired.get("m_axis_out_tvalid") == 0 && taken < 100);
    EXPECT_EQ(taken, *planned) << terms << " terms";
  }
}

TEST(AxiStreamLockstep, ALayerWithoutStreamsStaysAsItIs) {
  std::shared_ptr<const Layer> askew =
      dot::make_layer({.terms = 4, .skew = packing::Skew::External});
  const auto* before = askew.get();
  EXPECT_FALSE(axi_stream::wrap(askew, family));
  EXPECT_EQ(askew.get(), before);
}

}  // namespace axi_stream_lockstep_test
}  // namespace kumiki::gen
