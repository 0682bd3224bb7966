// SPDX-License-Identifier: Apache-2.0
// A pipeline with its memory in UltraRAM: frames as defined, clock by clock its model, the pace of
// block RAMs.
#include "gen/layers/pipeline/layer.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::ultra_ram_test {

using namespace runs;

// The map waits whole: two of them are 2,048 words of 64 bits.
Graph turned() {
  return graph::parse_graph("turned.graph",
                            "graph turned\ntensor x s8 8x32x32\ntensor y s8 8x32x32\ninput x\n"
                            "output y\ntranspose t x -> y order 0x2x1\n");
}

PipelinePlan plan_with(std::int64_t urams) {
  PipelinePlan plan = *pipeline_of(turned(), 0);
  plan.urams = urams;
  return plan;
}

TEST(PipelineUltraRam, TheNetlistIsTheModelAndTheDefinition) {
  const PipelinePlan plan = plan_with(1);
  const auto in_blocks = ir::count_resources(Netlist(plan_with(0)).design()).total;
  const auto in_ultra = ir::count_resources(Netlist(plan).design()).total;
  EXPECT_EQ(in_blocks.urams, 0u);
  EXPECT_EQ(in_blocks.brams_18k, 8u);
  EXPECT_EQ(in_ultra.urams, 1u);
  EXPECT_EQ(in_ultra.brams_18k, 0u);
  EXPECT_EQ(in_ultra.luts, in_blocks.luts);
  EXPECT_EQ(in_ultra.ffs, in_blocks.ffs);
  expect_as_defined(turned(), plan, 1);
  expect_pace(turned(), plan);
  test::NetworkRig rig({{"p", "dataflow", {}, std::shared_ptr<const Layer>(make_layer(plan))}});
  rig.run_native(6000);
  rig.run_verilated(6000, test::shared_cache);
}

}  // namespace kumiki::gen::pipeline::ultra_ram_test
