// SPDX-License-Identifier: Apache-2.0
// Convolutions from the command line: the examples, the table of engines, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace kumiki {
namespace {

using test::kumiki;
using ::testing::HasSubstr;

TEST(CliMatrix, TheExamplesRun) {
  for (const char* name : {"conv-3x3", "perceptron"}) {
    const auto r = kumiki(std::string("sim ") + name +
                          ".json --with native -o '" KUMIKI_TEST_TMP "/cli_matrix_" + name + "'");
    EXPECT_EQ(r.status, 0) << name << "\n" << r.err;
    EXPECT_THAT(r.out, HasSubstr("passed")) << name;
  }
}

// The figures that whole engines have to reach.
TEST(CliMatrix, EnginesOf256SlicesTakeLessThan6LutAMac) {
  const auto r = kumiki("bench conv2d --json --cycles 6000");
  const auto rows = nlohmann::json::parse(r.out);
  int large = 0;
  for (const auto& row : rows) {
    EXPECT_LT(row["lut_per_mac"].get<double>(), 6.0) << row.dump();
    EXPECT_LE(row["mac_per_slice_sustained"].get<double>(), row["mac_per_slice"].get<double>());
    large += row["slices"].get<int>() >= 256 ? 1 : 0;
  }
  EXPECT_GE(large, 5);
}

TEST(CliMatrix, WrongShapesAreRefusedWithTheKey) {
  const auto check = [](const std::string& keys) {
    const std::string file = KUMIKI_TEST_TMP "/cli_matrix_wrong.json";
    std::ofstream(file) << R"({"kumiki": 1, "name": "x", "layers": [)" << keys << "]}";
    const auto r = kumiki("check '" + file + "'");
    EXPECT_EQ(r.status, 3) << r.err;
    return r.err;
  };
  EXPECT_THAT(check(R"({"type": "conv2d", "in_channels": 3, "height": 4, "width": 4,
    "out_channels": 4, "groups": 2})"),
              HasSubstr("2 groups do not divide 3 input and 4 output channels"));
  EXPECT_THAT(check(R"({"type": "conv2d", "in_channels": 3, "height": 2, "width": 4,
    "out_channels": 4})"),
              HasSubstr("a kernel of 3x3 at dilation 1 is larger than the padded map of 2x4"));
  EXPECT_THAT(check(R"({"type": "matmul", "m": 2, "k": 3, "n": 4, "weights_from": "values",
    "values": [1, 2, 3]})"),
              HasSubstr("3 weights are given, the shape has 6"));
  EXPECT_THAT(check(R"({"type": "matvec", "outputs": 2, "inputs": 2, "weights_from": "values",
    "values": [1, 2, 3, 128]})"),
              HasSubstr("a weight of 128 is outside [-128, 127]"));
  EXPECT_THAT(check(R"({"type": "conv2d", "in_channels": 64, "height": 4, "width": 4,
    "out_channels": 64, "rows": 64, "slices": 16})"),
              HasSubstr("16 slices do not hold a column"));
}

}  // namespace
}  // namespace kumiki
