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
              HasSubstr("/layers/0/groups: 2 does not divide 3 and 4 channels; must divide both"));
  EXPECT_THAT(check(conv + R"(2, "width": 4, "kernel": [3, 3]})"),
              HasSubstr("/layers/0/kernel: [3, 3] reaches over 3 x 3 pixels, but the padded map "
                        "has 2 x 4; use a smaller kernel"));
  EXPECT_THAT(check(conv + R"(4, "width": 4, "weights_from": "port", "words_a_clock": 3})"),
              HasSubstr("/layers/0/words_a_clock: 3 is not a power of two"));
  EXPECT_THAT(check(conv + R"(4, "width": 4, "weights_from": "port", "rows": 3,
    "clocking": "double"})"),
              HasSubstr("/layers/0/rows: 3 is odd, but rows share their slices in pairs; must be "
                        "even with double clocking"));
  EXPECT_THAT(check(R"({"type": "conv2d", "in_channels": 64, "height": 4, "width": 4,
    "out_channels": 64, "rows": 64, "slices": 16, "weights_from": "port"})"),
              HasSubstr("/layers/0/slices: no matrix of chains: 16 slices do not hold a column"));
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
  EXPECT_THAT(check(""),
              HasSubstr("/layers/0/values: \"values\" is missing, so the layer has no weights; "
                        "give \"values\", or set \"weights_from\" to \"random\" or \"port\""));
  EXPECT_THAT(
      check(R"(, "weights_from": "values")"),
      HasSubstr("/layers/0/weights_from: \"values\" asks for \"values\", which are missing; give "
                "\"values\", or set it to \"random\" or \"port\""));
  EXPECT_THAT(check(R"(, "weights_from": "random", "values": [1, 2, 3, 4, 5, 6])"),
              HasSubstr("/layers/0/values: \"values\" is given beside \"weights_from\", which asks "
                        "for other weights"));
  EXPECT_THAT(check(R"(, "values": [1, 2, 3, 4, 5, 6], "seed": 4)"),
              HasSubstr("/layers/0/seed: \"seed\" is given, but no weight is random"));
  EXPECT_THAT(check(R"(, "values": [1, 2, 3])"),
              HasSubstr("/layers/0/values: [1, 2, 3] has 3 weights instead of 6; give [2][3] as "
                        "[row of W][column of W], or all in one list"));
  EXPECT_THAT(check(R"(, "values": [[1, 2], [3, 4], [5, 6]])"),
              HasSubstr("/layers/0/values: a list of 3 has the shape 3 x 2 instead of [2][3]; give "
                        "[2][3] as [row of W][column of W], or all in one list"));
  EXPECT_THAT(check(R"(, "values": [1, 2, 3, 4, 128, 6])"),
              HasSubstr("/layers/0/values/4: 128 is out of range; must be -128 to 127"));
  EXPECT_THAT(check(R"(, "values": [[1, 2, 3], [4, -129, 6]])"),
              HasSubstr("/layers/0/values/1/1: -129 is out of range; must be -128 to 127"));
  EXPECT_EQ(check(R"(, "values": [[1, 2, 3], [4, 5, 6]])"), "");
  EXPECT_EQ(check(R"(, "values": [1, 2, 3, 4, 5, 6])"), "");
}

}  // namespace
}  // namespace kumiki
