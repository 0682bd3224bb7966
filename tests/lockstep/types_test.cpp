// SPDX-License-Identifier: Apache-2.0
// Every type of layers by its own examples, whoever added it: in lockstep, and with changed cells.
#include <gtest/gtest.h>

#include <filesystem>

#include "gen/flow/run.h"
#include "gen/layers/catalog.h"
#include "tests/support/example.h"

namespace kumiki::gen {
namespace types_test {

struct Example {
  const config::LayerType* type;
  std::string text;
};

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const auto& type : registry().types())
    for (const auto& example : type.examples) all.push_back({&type, example});
  return all;
}

TEST(Types, EachHasAnExampleOfItself) {
  for (const auto& type : registry().types()) {
    EXPECT_FALSE(type.examples.empty()) << type.name;
    for (const auto& example : type.examples)
      EXPECT_TRUE(example.starts_with("{\"type\": \"" + type.name + "\"")) << example;
  }
}

class EveryExample : public ::testing::TestWithParam<Example> {
 protected:
  flow::Project project() const {
    const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "types" /
                        std::to_string(std::hash<std::string>()(GetParam().text));
    const auto file = test::write_example(folder, *GetParam().type, GetParam().text);
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

INSTANTIATE_TEST_SUITE_P(Types, EveryExample, ::testing::ValuesIn(examples()),
                         [](const auto& info) {
                           return info.param.type->name + std::to_string(info.index);
                         });

}  // namespace types_test
}  // namespace kumiki::gen
