// SPDX-License-Identifier: Apache-2.0
// The vendor's answers, reproduced by DSP48E2.v and DSP48E1.v of templates/primitives: every known
// digit of every trace, all parameter sets of a slice in one verilated build.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/dsp48e2_traces.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"
#include "tests/support/verilated_dsp48e2.h"

namespace kumiki::tests {
namespace dsp48e2_vectors_test {

// A fixed third of the traces: Icarus replays them all.
void replay(ir::Kind kind, std::size_t digits_of_all) {
  const auto traces = test::this_time(read_dsp_traces(kind), 3);
  std::vector<ir::Dsp48e2Attributes> instances;
  std::vector<Dsp48e2Run> runs;
  for (const auto& trace : traces) {
    auto& run = runs.emplace_back(Dsp48e2Run{.instance = instances.size()});
    instances.push_back(trace.attributes);
    for (const auto& cycle : trace.cycles) run.inputs.push_back(cycle.in);
  }
  VerilatedDsp48e2 bench(instances,
                         fmt::format("{}/{}_vectors", KUMIKI_TEST_TMP, ir::prototype(kind).name));
  auto answers = bench.run(runs);

  std::size_t known = 0;
  for (std::size_t i = 0; i < traces.size(); ++i)
    for (std::size_t t = 0; t < traces[i].cycles.size(); ++t)
      EXPECT_EQ(mismatch(traces[i].cycles[t], answers[i][t].after, known), "")
          << traces[i].name << " cycle " << t << "\n  " << verilog_parameters(instances[i]);
  std::size_t recorded = 0;  // digits that the vendor's model knew, counted by our model in C++
  for (const auto& trace : traces) {
    ir::Dsp48e2State state;
    for (const auto& cycle : trace.cycles) {
      clock(trace.attributes, state, cycle.in);
      EXPECT_EQ(mismatch(cycle, outputs(trace.attributes, state, cycle.in), recorded), "");
    }
  }
  EXPECT_EQ(known, recorded);
  EXPECT_GE(known, digits_of_all / 4);
}

TEST(Dsp48e2Verilog, ReproducesEveryKnownDigit) { replay(ir::Kind::dsp48e2, 384044); }
TEST(Dsp48e1Verilog, ReproducesEveryKnownDigit) { replay(ir::Kind::dsp48e1, 332146); }

}  // namespace dsp48e2_vectors_test
}  // namespace kumiki::tests
