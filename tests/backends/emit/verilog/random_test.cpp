// SPDX-License-Identifier: Apache-2.0
// Random designs: accepted by every tool without a word, and the same bytes every time. Their
// behaviour is compared under Verilator; Icarus does not settle on some that only look like loops.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "backends/emit/verilog/verilog.h"
#include "tests/support/lint.h"
#include "tests/support/random_design.h"

namespace kumiki::tests {
namespace verilog_random_test {

RandomShape shape_of(std::uint64_t seed) {
  static constexpr ir::Family families[] = {ir::Family::ultrascale_plus, ir::Family::series7,
                                            ir::Family::ultrascale};
  return {.family = families[seed % 3],
          .cells = seed % 4 == 0 ? 120u : 30u,
          .odd_names = seed % 2 == 0};
}

std::string bytes_of(const ir::Design& design) {
  ir::Names names(design);
  backends::OutputSet set;
  backends::write_verilog(names, set, {.models = true});
  set.add_manifest("test");
  std::string all;
  for (const auto& file : set.files())
    all += fmt::format("=== {}\n{}", file.name, file.text.view());
  return all;
}

class VerilogOfRandomDesigns : public testing::TestWithParam<std::uint64_t> {};

TEST_P(VerilogOfRandomDesigns, AreAcceptedEverywhere) {
  EXPECT_TRUE(lint_everywhere(*random_design(GetParam(), shape_of(GetParam()))));
}

TEST_P(VerilogOfRandomDesigns, AreWrittenTheSameEveryTime) {
  auto once = bytes_of(*random_design(GetParam(), shape_of(GetParam())));
  EXPECT_EQ(once, bytes_of(*random_design(GetParam(), shape_of(GetParam()))));
}

// A dozen here; a longer hunt takes the range to some hundreds.
INSTANTIATE_TEST_SUITE_P(Seeds, VerilogOfRandomDesigns, testing::Range<std::uint64_t>(1, 13));

}  // namespace verilog_random_test
}  // namespace kumiki::tests
