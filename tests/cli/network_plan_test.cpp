// SPDX-License-Identifier: Apache-2.0
// `kumiki plan` and `kumiki show` of trained networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/support/process.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace network_plan_test {

using ::testing::HasSubstr;

class CliNetworkPlan : public InFolder {};

TEST_F(CliNetworkPlan, OfTheTrainedModels) {
  for (const std::string model : {"digits_mlp", "fashion_cnn", "fashion_residual"}) {
    const auto r = kumiki("plan models/" + model + ".onnx");
    EXPECT_EQ(r.status, 0) << r.err;
    expect_golden("network/" + model + ".plan.txt", r.out);
  }
}

// Text, JSON and the written graph say the same.
TEST_F(CliNetworkPlan, AnswersInJson) {
  ASSERT_EQ(kumiki("import models/digits_mlp.onnx -o " + path("d.graph")).status, 0);
  const auto json = kumiki("plan models/digits_mlp.onnx --json").json();
  EXPECT_EQ(json["products"], 2720);
  EXPECT_EQ(json["equal_to_onnxruntime"], true);
  std::size_t channels = 0;
  for (const auto& node : json["nodes"]) {
    if (!node.contains("channels")) continue;
    EXPECT_EQ(node["equal"], true);
    for (const auto& c : node["channels"]) {
      ++channels;
      EXPECT_LT(c["sums"][0], c["sums"][1]);
      if (c["form"] == "factor") {
        EXPECT_GT(c["factor"], 1);
      }
    }
  }
  EXPECT_EQ(channels, 58U);
  const auto of_graph = nlohmann::json::parse(kumiki("plan " + path("d.graph") + " --json").out);
  EXPECT_EQ(of_graph["nodes"], json["nodes"]);
}

TEST_F(CliNetworkPlan, NamesTheSumsAtWhichAShortFactorIsNotEqual) {
  const auto r = kumiki("plan models/digits_mlp.onnx --factor-bits 12 --json");
  EXPECT_EQ(r.status, 1);
  const auto json = nlohmann::json::parse(r.out);
  EXPECT_EQ(json["equal_to_onnxruntime"], false);
  const auto& node = json["nodes"][1];
  ASSERT_FALSE(node["unequal"].empty());
  const auto& u = node["unequal"][0];
  const auto& channel = node["channels"][u["channel"].get<std::size_t>()];
  // Once by hand: the factor of 12 bits on the first of the sums, half to even.
  const auto& first = u["sums"][0];
  const std::int64_t sum = first["sums"][0];
  const double exact = std::ldexp(double(sum) * double(channel["factor"].get<std::int64_t>()),
                                  -channel["shift"].get<int>());
  EXPECT_EQ(first["here"].get<double>(),
            std::clamp(std::nearbyint(exact) + channel["zero_point"].get<double>(), 0.0, 255.0));
  EXPECT_NE(first["here"], first["onnxruntime"]);
  const auto text = kumiki("plan models/digits_mlp.onnx --factor-bits 12");
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, HasSubstr("58 of 58 not equal to onnxruntime"));
  EXPECT_THAT(text.out, HasSubstr("more channels: --all shows them"));
  const auto all = kumiki("plan models/digits_mlp.onnx --factor-bits 12 --all");
  EXPECT_THAT(all.out, HasSubstr("    channel 31, "));
  // A factor of 26 bits does for all of these.
  EXPECT_EQ(kumiki("plan models/digits_mlp.onnx --factor-bits 26").status, 0);
}

TEST_F(CliNetworkPlan, EveryChannelOnRequest) {
  const auto r = kumiki("plan models/digits_mlp.onnx --all");
  EXPECT_THAT(r.out, ::testing::ContainsRegex(
                         "\n +31  sums \\[-[0-9]+, [0-9]+\\]: \\(acc \\* [0-9]+ \\+ [0-9]+\\) >>"));
}

TEST_F(CliNetworkPlan, OptionsThatSayNothing) {
  for (const std::string option : {"--device ku115", "--axi-stream"}) {
    const auto r = kumiki("plan models/digits_mlp.onnx " + option);
    EXPECT_EQ(r.status, 2) << option;
    EXPECT_THAT(r.err, HasSubstr("has no effect on a trained network; remove it"));
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(kumiki("plan quickstart.json --factor-bits 12").err,
            "kumiki: --factor-bits has no effect on a configuration; remove it [option-value]\n");
  for (const std::string option : {"--module m", "--blocks", "--layer l", "--axi-stream"})
    EXPECT_EQ(kumiki("show edge.graph " + option).status, 2) << option;
  EXPECT_EQ(kumiki("show edge.graph -o " + path("a.dot")).err,
            "kumiki: \"" + (folder_ / "a.dot").string() +
                "\" does not name a picture; use NAME.svg [option-value]\n");
  EXPECT_EQ(kumiki("plan none.onnx").status, 4);
}

TEST_F(CliNetworkPlan, APicture) {
  const auto text = kumiki("show edge.graph");
  EXPECT_EQ(text.out,
            "picture: input U8 1x16x16\nsobel: conv 3x3 of picture makes S8 2x16x16\n"
            "edges: output of sobel\n");
  ASSERT_EQ(kumiki("show models/fashion_residual.onnx -o " + path("a.svg")).status, 0);
  ASSERT_EQ(kumiki("plan models/fashion_residual.onnx -o " + path("pictures")).status, 0);
  EXPECT_EQ(this->InFolder::text("a.svg"),
            this->InFolder::text("pictures/fashion_residual.network.svg"));
  EXPECT_THAT(this->InFolder::text("a.svg"), HasSubstr(">/6/branch/branch.3/Conv</text>"));
  const auto lint = backends::run_process({"xmllint", "--noout", (folder_ / "a.svg").string()});
  EXPECT_EQ(lint.status, 0) << lint.output;
}

}  // namespace network_plan_test
}  // namespace kumiki::test
