// SPDX-License-Identifier: Apache-2.0
// Every type of layers by its own examples, whoever added it: in lockstep, and with changed cells.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gen/flow/run.h"
#include "gen/layers/catalog.h"

namespace kumiki::gen {
namespace types_test {

std::vector<std::string> examples() {
  std::vector<std::string> all;
  for (const auto& type : registry().types())
    for (const auto& example : type.examples) all.push_back(example);
  return all;
}

TEST(Types, EachHasAnExampleOfItself) {
  for (const auto& type : registry().types()) {
    EXPECT_FALSE(type.examples.empty()) << type.name;
    for (const auto& example : type.examples)
      EXPECT_TRUE(example.starts_with("{\"type\": \"" + type.name + "\"")) << example;
  }
}

class EveryExample : public ::testing::TestWithParam<std::string> {
 protected:
  flow::Project project() const {
    const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "types";
    std::filesystem::create_directories(folder);
    const auto file = folder / (std::to_string(std::hash<std::string>()(GetParam())) + ".json");
    std::ofstream(file) << R"({"kumiki": 1, "name": "example", "layers": [)" << GetParam() << "]}";
    return flow::Project(file.string());
  }
};

TEST_P(EveryExample, RunsInLockstepAndChangedCellsAreSeen) {
  auto built = project();
  built.require_legal();
  const auto run = flow::simulate(built, {.seed = 7, .cycles = 1500});
  EXPECT_TRUE(run.passed()) << run.mismatches;
  EXPECT_GT(run.moving_output_bits, 0u);
  const auto result = flow::mutate(built, 30, {.seed = 7});
  EXPECT_EQ(result.tried, 30u);
  EXPECT_GE(result.caught(), 0.85);
  EXPECT_GE(result.by_lockstep + result.by_check, 10u);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryExample, ::testing::ValuesIn(examples()));

}  // namespace types_test
}  // namespace kumiki::gen
