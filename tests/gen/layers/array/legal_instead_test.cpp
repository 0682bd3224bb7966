// SPDX-License-Identifier: Apache-2.0
// What an array is refused for, with a remedy that is taken: it has to be one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/error.h"
#include "tests/gen/layers/array/jobs.h"
#include "tests/gen/layers/array/refused.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::array {
namespace array_legal_instead_test {

using test::conv_layer;
using test::refused;
using test::refused_network;
using ::testing::HasSubstr;

TEST(ArrayRefusal, WhatAFullyConnectedLayerHasNot) {
  const auto with = [](const std::string& key) {
    return refused_network(R"("weights_from": "random")",
                           R"({"type": "fc", "name": "f", "inputs": 4, "outputs": 2)" + key + "}");
  };
  EXPECT_EQ(with(""), "not refused");
  EXPECT_EQ(with(R"(, "padding": 0)"), "not refused");
  EXPECT_THAT(with(R"(, "padding": 10)"),
              HasSubstr("/layers/0/network/0/padding: \"padding\" is not allowed on an fc layer; "
                        "only conv layers can pad"));
}

TEST(ArrayRefusal, SaysWhatToDoInstead) {
  const std::string random = R"("weights_from": "random")";
  const std::string exact = R"("requantise": "float32")", both = exact + ", " + random;
  const auto layer = [](const std::string& keys) { return conv_layer + (", " + keys) + "}"; };
  const std::string own = R"("weights": [1, 2], )";
  const std::string c = conv_layer + std::string("}");
  struct Case {
    std::string array, network, says, legal_array, legal_network;
  };
  for (
      const Case& wrong : std::vector<Case>{
          {random,
           R"({"type": "conv", "name": "c", "in_channels": 1, "height": 4, "width": 4,
                "out_channels": 2})",
           R"(network/0/kernel: "kernel" is missing; a conv layer needs it)", random, c},
          {random, R"({"type": "fc", "name": "f", "inputs": 2, "outputs": 2, "kernel": 1})",
           "network/0/kernel: \"kernel\" is not allowed on an fc layer; give inputs and outputs",
           random, R"({"type": "fc", "name": "f", "inputs": 2, "outputs": 2})"},
          {"",
           R"({"type": "average", "name": "m", "in_channels": 1, "height": 2, "width": 2,
                "groups": 2})",
           "network/0/groups: \"groups\" is not allowed on an average layer; remove it, or use a "
           "conv layer",
           "", R"({"type": "average", "name": "m", "in_channels": 1, "height": 2, "width": 2})"},
          {"", layer(own + R"("multiplier": 3)"),
           "network/0/multiplier: \"multiplier\" is given without \"shift\"; give both", "",
           layer(own + R"("multiplier": 3, "shift": 2)")},
          {"", layer(own + R"("scale": 0.5, "shift": 3)"),
           "network/0/scale: \"scale\" is given beside \"multiplier\" or \"shift\"; give one or "
           "the "
           "other",
           "", layer(own + R"("shift": 3)")},
          {random, layer(R"("padding": [1, 2, 1])"),
           "network/0/padding: [1, 2, 1] has 3 entries; must be a list of 2 or 4", random,
           layer(R"("padding": [1, 2, 1, 0])")},
          {random, layer(R"("stride": [2, 1], "pool": {"kind": "max"})"),
           "network/0/pool: \"pool\" does not work with strides that leave results out; use the "
           "same stride for rows and columns",
           random, layer(R"("stride": [2, 2], "pool": {"kind": "max"})")},
          {exact, layer(own + R"("scale": 0.1)"),
           "network/0/scale: the scale is not a float32; use 0.10000000149011612, "
           "the nearest one",
           exact, layer(own + R"("scale": 0.10000000149011612)")},
          {exact, layer(own + R"("scale": [0.5, 1e-10])"),
           "network/0/scale/1: the scale is not a float32; use "
           "1.000000013351432e-10, the nearest one",
           exact, layer(own + R"("scale": [0.5, 1.000000013351432e-10])")},
          {exact, layer(own + R"("shift": 3)"),
           "network/0/shift: \"shift\" is given, but results are requantised as float32; give "
           "\"scale\"",
           exact, layer(own + R"("scale": 0.125)")},
          {exact, layer(R"("weights": [1, 2])"),
           "network/0/scale: \"scale\" is missing, but weights are given; give \"scale\"", exact,
           layer(own + R"("scale": 0.125)")},
          {"", layer(own + R"("scale": [0.5, 0.25])"),
           "network/0/scale: \"scale\" is a list, but the array requantises with a fixed "
           "multiplier; remove it, or set \"requantise\" of the array to \"float32\"",
           exact, layer(own + R"("scale": [0.5, 0.25])")},
          {"", layer(own + R"("scale": 0.5, "clamp": [-3, 3])"),
           "network/0/clamp: \"clamp\" is given, but the array requantises with a fixed "
           "multiplier; "
           "remove it, or set \"requantise\" of the array to \"float32\"",
           exact, layer(own + R"("scale": 0.5, "clamp": [-3, 3])")},
          {both, layer(R"("zero_point": 3)") + R"(, {"type": "fc", "name": "f", "inputs": 32,
                "outputs": 1, "input_zero_point": 4})",
           "network/1/input_zero_point: \"input_zero_point\" is not the zero point of c, whose "
           "results come in; use 3, or set \"input\" to \"host\"",
           both, layer(R"("zero_point": 3)") + R"(, {"type": "fc", "name": "f", "inputs": 32,
                "outputs": 1, "input_zero_point": 4, "input": "host"})"},
          {random, layer(own + R"("shift": 3)"),
           R"(/layers/0/weights_from: "weights_from" is given, but every layer has weights of its )"
           "own; remove it",
           "", layer(own + R"("shift": 3)")},
          {"", layer(own + R"("shift": 3, "seed": 4)"),
           "network/0/seed: \"seed\" is given, but the weights are not random; remove it", "",
           layer(own + R"("shift": 3)")},
          {random + R"(, "sweeps": [{"name": "s", "over": "size", "from": 5, "to": 4}])", c,
           "/layers/0/sweeps/0/to: 4 is less than \"from\"; must be at least \"from\"",
           random + R"(, "sweeps": [{"name": "s", "over": "size", "from": 5, "to": 5}])", c},
          {both + R"(, "average_pool": true)", c,
           "/layers/0/average_pool: \"average_pool\" does not work with "
           "requantisation as float32, which onnxruntime does before it takes a mean; set "
           "\"average_pool\" to false",
           both + R"(, "average_pool": false)", c}}) {
    EXPECT_THAT(refused_network(wrong.array, wrong.network), HasSubstr(wrong.says + " ["));
    EXPECT_EQ(refused_network(wrong.legal_array, wrong.legal_network), "not refused") << wrong.says;
  }
  EXPECT_THAT(refused(random),
              HasSubstr("/layers/0/network: \"network\" is missing; give a list of layers, or "
                        "\"graph\" with the file of a trained network ["));
}

// Of jobs that no configuration makes.
TEST(ArrayRefusal, AJobIsOfTheFormOfItsArray) {
  const auto said = [](const ArrayRequest& array, const LayerJob& job) {
    return kumiki::test::refusal<DesignError>([&] { (void)compile(plan(array), {job}); });
  };
  const ArrayRequest fixed{.rows = 4, .columns = 4, .accumulators = 4};
  ArrayRequest exact = fixed, batched = fixed;
  exact.float32 = true;
  exact.average_pool = false;
  batched.batched_fc = true;
  batched.stream_words = 8;
  LayerJob job{.shape = test::conv({.height = 8, .width = 8, .kernel = 1}),
               .weights = Weights({1})};
  job.shape.name = "l";
  EXPECT_EQ(said(exact, job),
            "layer l: the layer has no scale; give one, or one for each output channel");
  job.scales = {0.5F};
  EXPECT_EQ(said(exact, job), "not refused");
  // Results that are left out, and a pool over them.
  job.scales.clear();
  job.kept = {2, 1};
  job.pool = {PoolKind::max, 2};
  EXPECT_EQ(said(fixed, job),
            "layer l: pooling does not work with strides that leave results out; use the same "
            "stride for rows and columns, at most 4");
  job.kept = {1, 1};
  EXPECT_EQ(said(fixed, job), "not refused");
  LayerJob batch = test::job_of(test::fc(3, 2, 5), plan(batched), 1);
  batch.shape.name = "l";
  EXPECT_EQ(said(fixed, batch),
            "layer l: the array has no hardware for a batch of 5 images at once; set "
            "\"batched_fc\" to true");
  EXPECT_EQ(said(batched, batch), "not refused");
}

}  // namespace array_legal_instead_test
}  // namespace kumiki::gen::array
