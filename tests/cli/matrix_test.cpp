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
TEST(CliMatrix, WrongShapesAreRefusedWithTheKey) {
  const auto check = [](const std::string& keys) {
    const std::string file = KUMIKI_TEST_TMP "/cli_matrix_wrong.json";
    std::ofstream(file) << R"({"kumiki": 1, "name": "x", "layers": [)" << keys << "]}";
    const auto r = kumiki("check '" + file + "'");
    EXPECT_EQ(r.status, 3) << r.err;
    return r.err;
  };
  const std::string conv = R"({"type": "conv2d", "in_channels": 3, "out_channels": 4, "height": )";
  EXPECT_THAT(check(conv + R"(4, "width": 4, "groups": 2})"),
              HasSubstr("/layers/0/groups: 2 does not divide 3 and 4 channels: a common divisor"));
  EXPECT_THAT(check(conv + R"(2, "width": 4, "kernel": [3, 3]})"),
              HasSubstr("/layers/0/kernel: [3, 3] reaches over 3 x 3 pixels, the padded map "
                        "has 2 x 4: a smaller kernel"));
  EXPECT_THAT(check(conv + R"(4, "width": 4, "weights_from": "port", "words_a_clock": 3})"),
              HasSubstr("/layers/0/words_a_clock: 3 is no power of two"));
  EXPECT_THAT(check(conv + R"(4, "width": 4, "weights_from": "port", "rows": 3,
    "clocking": "double"})"),
              HasSubstr("/layers/0/rows: 3 is odd, and rows share their slices in pairs: an even "
                        "number is legal with double clocking"));
  EXPECT_THAT(
      check(R"({"type": "conv2d", "in_channels": 64, "height": 4, "width": 4,
    "out_channels": 64, "rows": 64, "slices": 16, "weights_from": "port"})"),
      HasSubstr("/layers/0/slices: 16 is not possible: no matrix of chains: 16 slices do not "
                "hold a column"));
}

// Nobody gets random weights who did not ask for them, and none that were given are passed over.
TEST(CliMatrix, WeightsAreSaidOnce) {
  const auto check = [](const std::string& keys) {
    const std::string file = KUMIKI_TEST_TMP "/cli_matrix_weights.json";
    std::ofstream(file) << R"({"kumiki": 1, "name": "x", "layers": [{"type": "matmul", "m": 2,
      "k": 3, "n": 4)" << keys
                        << "}]}";
    const auto r = kumiki("check '" + file + "'");
    EXPECT_TRUE(r.status == 0 || r.status == 3) << r.err;
    return r.status == 0 ? std::string() : r.err;
  };
  EXPECT_THAT(check(""), HasSubstr("/layers/0/values: is missing: the layer has no weights: "
                                   "`values`, or `weights_from` with \"random\" or \"port\""));
  EXPECT_THAT(check(R"(, "weights_from": "values")"),
              HasSubstr("/layers/0/weights_from: \"values\" wants `values` that are not there"));
  EXPECT_THAT(check(R"(, "weights_from": "random", "values": [1, 2, 3, 4, 5, 6])"),
              HasSubstr("/layers/0/values: [1, 2, 3, 4, 5, 6] is given beside other weights"));
  EXPECT_THAT(check(R"(, "values": [1, 2, 3, 4, 5, 6], "seed": 4)"),
              HasSubstr("/layers/0/seed: 4 is given, but no weight is random"));
  EXPECT_THAT(check(R"(, "values": [1, 2, 3])"),
              HasSubstr("/layers/0/values: [1, 2, 3] has 3 weights, the layer 6: [2][3] as "
                        "[row of W][column of W], or all in one list, are legal"));
  EXPECT_THAT(check(R"(, "values": [[1, 2], [3, 4], [5, 6]])"),
              HasSubstr("/layers/0/values: a list of 3 has the shape 3 x 2, not that of "
                        "[row of W][column of W]: [2][3]"));
  EXPECT_THAT(check(R"(, "values": [1, 2, 3, 4, 128, 6])"),
              HasSubstr("/layers/0/values/4: 128 is out of range: -128 to 127 is legal"));
  EXPECT_THAT(check(R"(, "values": [[1, 2, 3], [4, -129, 6]])"),
              HasSubstr("/layers/0/values/1/1: -129 is out of range: -128 to 127 is legal"));
  EXPECT_EQ(check(R"(, "values": [[1, 2, 3], [4, 5, 6]])"), "");
  EXPECT_EQ(check(R"(, "values": [1, 2, 3, 4, 5, 6])"), "");
}

}  // namespace
}  // namespace kumiki
