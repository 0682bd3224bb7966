// SPDX-License-Identifier: Apache-2.0
// `sim` and `gen` of an array: its network on the netlist, figures measured and predicted, the
// files for a host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gen/cli/simulate.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CliNetwork : public InFolder {};

const char* const two_arrays = R"({"kumiki": 1, "name": "two", "layers": [
  {"type": "pe_array", "name": "left", "rows": 2, "columns": 2, "weights_from": "random", "network": [
    {"type": "fc", "name": "a", "inputs": 8, "outputs": 4}]},
  {"type": "pe_array", "name": "right", "rows": 2, "columns": 2, "weights_from": "random", "network": [
    {"type": "fc", "name": "b", "inputs": 6, "outputs": 4}]}]})";

TEST_F(CliNetwork, RunsLeNetOnItsNetlist) {
  const json run = kumiki("sim lenet5.json --with native --cycles 500 --json -o " + path())
                       .json()["networks"][0];
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
    EXPECT_GT(fs::file_size(folder_ / file), 0u) << file;
}

// Short layers wait for what the one before gives: neither steps nor streams bound them.
TEST_F(CliNetwork, LayersThatWaitForResultsSaySo) {
  ASSERT_EQ(kumiki("import models/digits_mlp.onnx --as array -o " + path("net.json")).status, 0);
  const json layers =
      kumiki("sim " + path("net.json") + " --with native --cycles 500 --json -o " + path("out"))
          .json()["networks"][0]["layers"];
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[0]["bound_by"], "steps");
  EXPECT_EQ(layers[0]["waits_for_results"], 0);
  for (const int i : {1, 2}) {
    EXPECT_EQ(layers[i]["bound_by"], "results") << layers[i];
    EXPECT_GE(layers[i]["measured_clocks"].get<int>(),
              layers[i]["steps"].get<int>() + layers[i]["waits_for_results"].get<int>());
  }
}

TEST_F(CliNetwork, RunsOneLayerWithStreamsThatWait) {
  const json run =
      kumiki("sim lenet5.json --with native --cycles 500 --layer conv2 --stalls 100 --json -o " +
             path())
          .json()["networks"][0];
  EXPECT_TRUE(run["passed"]);
  ASSERT_EQ(run["layers"].size(), 1u);
  EXPECT_EQ(run["layers"][0]["name"], "conv2");
  EXPECT_GT(run["layers"][0]["measured_clocks"], run["layers"][0]["predicted_clocks"]);
}

TEST_F(CliNetwork, RunsItsUnitsInLanes) {
  const json run = kumiki("sim lenet5.json --with native --lanes --cycles 50 --json -o " + path())
                       .json()["networks"][0];
  EXPECT_TRUE(run["passed"]);
  EXPECT_EQ(run["lanes"], 64);
  EXPECT_EQ(run["steps"], 3200 + 9600 + 800 + 240 + 84);
  EXPECT_EQ(run["layers"][1]["units"], 4);
  const auto compiled = kumiki("sim lenet5.json --lanes -o " + path("none"));
  EXPECT_EQ(compiled.status, 2);
  EXPECT_THAT(compiled.err, HasSubstr("--with native"));
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

TEST_F(CliNetwork, RunsAnImageInEachLane) {
  const json run =
      kumiki("sim lenet5.json --with native --images 64 --cycles 50 --json -o " + path())
          .json()["networks"][0];
  EXPECT_TRUE(run["passed"]);
  EXPECT_EQ(run["images"], 64);
  EXPECT_GE(run["clocks"], 3200 + 9600 + 800 + 240 + 84);
  EXPECT_EQ(run["layers"].size(), 5u);
  EXPECT_EQ(kumiki("sim lenet5.json --with native --images 65 -o " + path("none")).status, 2);
  EXPECT_EQ(kumiki("sim lenet5.json --images 2 -o " + path("none")).status, 2);
  const auto both = kumiki("sim lenet5.json --with native --images 2 --lanes -o " + path("none"));
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--lanes"));
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

// Lockstep, the outputs or images in the lanes, another array of the same netlist: all run on what
// is compiled once. The model alone needs nothing compiled.
TEST_F(CliNetwork, TheNetlistIsCompiledOnce) {
  const std::string cfg = config(two_arrays);
  const auto compilations = [&](const std::string& options) {
    fs::remove(folder_ / "t.json");
    const auto r = kumiki("sim " + cfg + " --cycles 50 --trace " + path("t.json") + " -o " +
                          path("out") + options);
    EXPECT_EQ(r.status, 0) << r.err;
    const auto all = json::parse(text("t.json"))["traceEvents"];
    return std::ranges::count(all, "compiling the simulator",
                              [](const json& e) { return e["name"]; });
  };
  for (const char* how : {"", " --lanes", " --images 3", " --layer b"})
    EXPECT_EQ(compilations(std::string(" --with native") + how), 1) << how;
  EXPECT_EQ(compilations(" --with model"), 0);
}

// Predicted without a run, measured with one; of the layers that did not run as predicted.
TEST_F(CliNetwork, ThePageShowsTheNetworkAndTheMap) {
  const std::string cfg = config(two_arrays), run = " -o " + path("out");
  ASSERT_EQ(kumiki("gen " + cfg + run).status, 0);
  const std::string predicted = text("out/report.html");
  EXPECT_THAT(predicted, HasSubstr("the network did not run"));
  EXPECT_THAT(predicted, HasSubstr("Clocks and bandwidth of every layer on left"));
  EXPECT_THAT(predicted, HasSubstr("map of right"));
  EXPECT_TRUE(fs::exists(folder_ / "out/left.map.svg"));
  ASSERT_EQ(kumiki("sim " + cfg + " --with native --cycles 100 --layer b" + run).status, 0);
  const std::string measured = text("out/report.html");
  EXPECT_THAT(measured, HasSubstr("<strong>The network is right</strong> on right under native"));
  // In an image: < and > are escaped.
  EXPECT_THAT(measured, HasSubstr("clocks measured%3C/text%3E"));
  EXPECT_THAT(measured, HasSubstr("clocks, predicted%3C/text%3E"));
}

TEST_F(CliNetwork, SaysWhichLayersThereAre) {
  const auto r = kumiki("sim lenet5.json --with native --cycles 100 --layer conv9 -o " + path());
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("--layer conv9"));
  EXPECT_THAT(r.err, HasSubstr(": --layer conv9: no network has such a layer; use conv1, conv2, "
                               "fc3, fc4, fc5 of array"));
}

TEST_F(CliNetwork, OneLayerOfOneArrayOfTwo) {
  const std::string run =
      "sim " + config(two_arrays) + " --with native --cycles 100 --json -o " + path("out");
  const json runs = kumiki(run + " --layer b").json()["networks"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["array"], "right");
  const auto none = kumiki(run + " --layer c");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err,
              HasSubstr(": --layer c: no network has such a layer; use a of left, b of right"));
}

// What is for networks alone is not passed over where there is none.
TEST_F(CliNetwork, WithoutAnArrayTheirOptionsAreRefused) {
  for (const char* asked :
       {"sim quickstart.json --with model", "sim quickstart.json --with native --layer conv1",
        "sim quickstart.json --with native --stalls 9", "sim quickstart.json --with native --whole",
        "gen quickstart.json --whole"}) {
    const auto r = kumiki(std::string(asked) + " -o " + path("out"));
    EXPECT_EQ(r.status, 2) << asked;
    EXPECT_EQ(r.out, "") << asked;
    EXPECT_THAT(r.err, HasSubstr("quickstart.json: --")) << asked;
    EXPECT_THAT(r.err,
                HasSubstr("is for the network of a pe_array, and no layer here is of that type"))
        << asked;
    EXPECT_FALSE(fs::exists(folder_ / "out")) << asked;
  }
}

TEST(SimOptions, WhatAsksForALongNetwork) {
  EXPECT_FALSE(cli::asks_for_long({.with = "native"}));
  EXPECT_TRUE(cli::asks_for_long({.with = "native", .layer = "conv1"}));
  EXPECT_TRUE(cli::asks_for_long({.with = "verilator", .whole = true}));
  EXPECT_TRUE(cli::asks_for_long({.with = "model"}));
}

// More than a million clocks: the netlist waits for --whole, the model alone runs them.
TEST_F(CliNetwork, ALongOneRunsOnTheModel) {
  const std::string file = config(R"({"kumiki": 1, "name": "large_map", "layers": [
    {"type": "pe_array", "name": "array", "rows": 1, "columns": 2, "weights_from": "random", "network": [
      {"type": "conv", "name": "a", "in_channels": 1, "height": 220, "width": 220, "out_channels": 1,
       "kernel": 5}]}]})");
  const auto short_of_it =
      kumiki("sim " + file + " --with native --cycles 100 --json -o " + path("out"));
  EXPECT_EQ(short_of_it.status, 0) << short_of_it.err;
  EXPECT_THAT(short_of_it.err, HasSubstr("--whole runs it"));
  EXPECT_FALSE(json::parse(short_of_it.out).contains("networks"));
  const json run =
      kumiki("sim " + file + " --with model --json -o " + path("out")).json()["networks"][0];
  EXPECT_EQ(run["simulator"], "model");
  EXPECT_TRUE(run["passed"]);
  EXPECT_GT(run["clocks"], 1'000'000);
}

}  // namespace
}  // namespace kumiki::test
