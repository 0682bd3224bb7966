// SPDX-License-Identifier: Apache-2.0
// `sim` and `gen` of an array: its network on the netlist, figures measured and foretold, the files
// for a host.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class CliNetwork : public ::testing::Test {
 protected:
  fs::path folder() const {
    return fs::path(KUMIKI_TEST_TMP) /
           (std::string("network_") +
            ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
};

TEST_F(CliNetwork, RunsLeNetOnItsNetlist) {
  const auto r =
      kumiki("sim lenet5.json --with native --cycles 500 --json -o '" + folder().string() + "'");
  ASSERT_EQ(r.status, 0) << r.err;
  const json run = json::parse(r.out)["networks"][0];
  EXPECT_TRUE(run["passed"]);
  ASSERT_EQ(run["layers"].size(), 5u);
  for (const auto& layer : run["layers"]) {
    EXPECT_EQ(layer["individual_words"], layer["predicted_individual_words"]) << layer;
    EXPECT_EQ(layer["common_words"], layer["predicted_common_words"]) << layer;
    EXPECT_GE(layer["measured_clocks"], layer["steps"]) << layer;
  }
  // The registers and the words of every stream are beside the netlist.
  for (const char* file : {"array/array.h", "array/array_registers.hex", "array/array_order.json",
                           "array/conv1_common.hex", "array/fc3_individual.hex"})
    EXPECT_GT(fs::file_size(folder() / file), 0u) << file;
}

TEST_F(CliNetwork, RunsOneLayerWithStreamsThatWait) {
  const auto r =
      kumiki("sim lenet5.json --with native --cycles 500 --layer conv2 --stalls 100 --json -o '" +
             folder().string() + "'");
  ASSERT_EQ(r.status, 0) << r.err;
  const json run = json::parse(r.out)["networks"][0];
  EXPECT_TRUE(run["passed"]);
  ASSERT_EQ(run["layers"].size(), 1u);
  EXPECT_EQ(run["layers"][0]["name"], "conv2");
  EXPECT_GT(run["layers"][0]["measured_clocks"], run["layers"][0]["predicted_clocks"]);
}

TEST_F(CliNetwork, SaysWhichLayersThereAre) {
  const auto r = kumiki("sim lenet5.json --with native --cycles 100 --layer conv9 -o '" +
                        folder().string() + "'");
  EXPECT_EQ(r.status, 4);
  EXPECT_NE(r.err.find("conv1, conv2, fc3, fc4, fc5"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace kumiki::test
