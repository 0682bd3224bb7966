// SPDX-License-Identifier: Apache-2.0
// The vendor's answers, reproduced by templates/primitives/DSP48E2.v: every known digit of every
// trace, all parameter sets in one verilated build.
#include <gtest/gtest.h>

#include "tests/support/dsp48e2_traces.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"
#include "tests/support/verilated_dsp48e2.h"

namespace kumiki::tests {
namespace dsp48e2_vectors_test {

// A fixed third of the traces: Icarus replays them all.
TEST(Dsp48e2Verilog, ReproducesEveryKnownDigit) {
  const auto traces = test::this_time(read_dsp48e2_traces(KUMIKI_TEST_DIR "/vectors/dsp48e2"), 3);
  std::vector<ir::Dsp48e2Attributes> instances;
  std::vector<Dsp48e2Run> runs;
  for (const auto& trace : traces) {
    auto& run = runs.emplace_back(Dsp48e2Run{.instance = instances.size()});
    instances.push_back(trace.attributes);
    for (const auto& cycle : trace.cycles) run.inputs.push_back(cycle.in);
  }
  VerilatedDsp48e2 bench(instances, KUMIKI_TEST_TMP "/dsp48e2_vectors");
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
  EXPECT_GE(known, 384044u / 4);
}

}  // namespace dsp48e2_vectors_test
}  // namespace kumiki::tests
