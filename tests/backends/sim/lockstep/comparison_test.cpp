// SPDX-License-Identifier: Apache-2.0
// What a comparison keeps: the inputs that led to the first mismatch, of its lane alone.
#include "backends/sim/lockstep/comparison.h"

#include <gtest/gtest.h>

#include "ir/design.h"

namespace kumiki::backends::lockstep {
namespace lockstep_comparison_test {

TEST(Comparison, KeepsTheInputsOfTheLaneThatDiffered) {
  ir::Design design;
  ir::Module& m = design.add_module("m");
  m.add_output("y", std::array{m.add_input("x", 1)});
  design.set_top(m.id());
  const ir::PortLayout ports = ir::layout(m);
  const LockstepOptions options{.history = 3};
  Comparison comparison(ports, options);
  for (std::uint64_t cycle = 0; cycle < 10; ++cycle)
    for (unsigned lane = 0; lane < 2; ++lane)
      comparison.compare(cycle, lane, {10 * cycle + lane}, {1}, {lane == 1 && cycle >= 6 ? 0U : 1U},
                         nullptr, nullptr);
  LockstepResult result;
  comparison.finish(result);
  EXPECT_EQ(result.mismatches, 4U);
  ASSERT_FALSE(result.first.empty());
  EXPECT_EQ(result.first[0].cycle, 6U);
  EXPECT_EQ(result.first[0].lane, 1U);
  EXPECT_EQ(result.history, (std::vector<ir::Frame>{{41}, {51}, {61}}));
}

}  // namespace lockstep_comparison_test
}  // namespace kumiki::backends::lockstep
