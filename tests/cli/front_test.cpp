// SPDX-License-Identifier: Apache-2.0
// `kumiki plan --front`, and budgets of LUTs and memories as a user gives them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "tests/support/program.h"

namespace kumiki::test {
namespace front_test {

using nlohmann::json;
namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A dense layer, which has many foldings.
std::string dense_network(const char* numbers = "u8", int weights = 255) {
  std::string text = fmt::format(
      "graph net\ntensor x {} 16x1x1 scale 0x1p-3 zero 3\ntensor z s8 8x1x1 scale 0x1p-1 zero -4\n"
      "input x\noutput z\nconv dense x -> z kernel 1x1\n  scales 0x1p-7\n"
      "  bias 1 2 3 4 5 6 7 8\n",
      numbers);
  for (int o = 0; o < 8; ++o) {
    text += "  weights";
    for (int i = 0; i < 16; ++i)
      text += fmt::format(" {}", (o * 16 + i) * 37 % weights - weights / 2);
    text += '\n';
  }
  return text;
}

class CliFront : public InFolder {
 protected:
  CliFront() { write("net.graph", dense_network()); }
  std::string configuration(const std::string& keys) {
    write("net.json", fmt::format(R"({{"kumiki": 1, "name": "net", "layers": [
              {{"type": "dataflow", "name": "p", "graph": "net.graph", {}}}]}})",
                                  keys));
    return path("net.json");
  }
};

// A line is what `gen` reports of a pipeline for so many clocks.
TEST_F(CliFront, CountsWhatIsWritten) {
  const json front = kumiki("plan " + path("net.graph") + " --front --json --clock 250")
                         .json()["pipelines"][0]["front"];
  ASSERT_GT(front.size(), 2U);
  for (std::size_t i = 0; i < front.size(); i += 4) {
    const json& point = front[i];
    const auto clocks = point["clocks"].get<std::int64_t>();
    const json total = kumiki("gen " + configuration(fmt::format(R"("clocks": {})", clocks)) +
                              " --json -o " + path("out"))
                           .json()["resources"]["total"];
    EXPECT_EQ(point["luts"], total["luts"]) << clocks;
    EXPECT_EQ(point["lut_memory"], total["lut_memory"]) << clocks;
    EXPECT_EQ(point["ffs"], total["ffs"]) << clocks;
    EXPECT_EQ(point["slices"], total["dsps"]) << clocks;
    EXPECT_EQ(point["bram18"], total["bram18"]) << clocks;
    EXPECT_EQ(point["frames_a_second"], 250'000'000 / clocks);
  }
  // A configuration has the same front, however it is folded itself.
  const auto same = kumiki("plan " + configuration(R"("slices": 20)") + " --front --json");
  EXPECT_EQ(json::parse(same.out)["pipelines"][0]["front"].size(), front.size());
}

// Whatever the file is called, what is written is right.
TEST_F(CliFront, AConfigurationIsLegalWhateverItsFileIsCalled) {
  for (const char* name : {"module", "_", "\u00f6 \u00e4", "DSP48E2", "9", "entity"}) {
    const auto file = path(std::string(name) + ".json");
    const auto made =
        kumiki("import " + path("net.graph") + " --as dataflow --clocks 8 -o " + file);
    ASSERT_EQ(made.status, 0) << made.err;
    const auto check = kumiki("check " + file);
    EXPECT_EQ(check.status, 0) << check.err;
  }
}

// Layers in trees have a pace for every number of products a clock, all without a slice.
TEST_F(CliFront, LayersInTrees) {
  write("small.graph", dense_network("u2", 3));
  const auto import =
      kumiki(fmt::format("import {} --as dataflow --clocks 8 --in-trees dense -o {}",
                         path("small.graph"), path("trees.json")));
  ASSERT_EQ(import.status, 0) << import.err;
  EXPECT_THAT(text("trees.json"), HasSubstr(R"("clocks": 8, "in_trees": "dense", )"));
  const json front =
      kumiki("plan " + path("trees.json") + " --front --json").json()["pipelines"][0]["front"];
  ASSERT_GT(front.size(), 3U);
  const auto in_slices = kumiki("plan " + path("small.graph") + " --front --json");
  const json slices = json::parse(in_slices.out)["pipelines"][0]["front"];
  EXPECT_LT(front[0]["slices"], slices[0]["slices"]);
  EXPECT_EQ(front[0]["clocks"], slices[0]["clocks"]);
  EXPECT_GT(front[0]["luts"], front.back()["luts"]);
  const auto alone = kumiki("plan " + path("small.graph") + " --front --in-trees all --json");
  EXPECT_EQ(alone.json()["pipelines"][0]["front"], front);
}

// Layers in LUTs stay there in the front of their configuration, and `import` writes the key.
TEST_F(CliFront, LayersInLuts) {
  const auto import = kumiki(fmt::format("import {} --as dataflow --clocks 1 --in-luts dense -o {}",
                                         path("net.graph"), path("luts.json")));
  ASSERT_EQ(import.status, 0) << import.err;
  EXPECT_THAT(text("luts.json"), HasSubstr(R"("clocks": 1, "in_luts": "dense", )"));
  EXPECT_THAT(import.err, HasSubstr("a pipeline of 0 slices, a frame every 1 clocks"));
  const json front =
      kumiki("plan " + path("luts.json") + " --front --json").json()["pipelines"][0]["front"];
  ASSERT_EQ(front.size(), 1U);
  EXPECT_EQ(front[0]["clocks"], 1);
  EXPECT_EQ(front[0]["slices"], 0);
  EXPECT_TRUE(front[0]["macs_per_slice"].is_null());
  // A network alone is told which ones.
  const auto alone = kumiki("plan " + path("net.graph") + " --front --in-luts all --json");
  EXPECT_EQ(alone.json()["pipelines"][0]["front"], front);
  const auto wrong = [&](const std::string& asked, int status, const char* why) {
    const auto made = kumiki("plan " + asked);
    EXPECT_EQ(made.status, status) << made.err;
    EXPECT_THAT(made.err, HasSubstr(why));
  };
  wrong(path("net.graph") + " --front --in-luts dens", 3,
        "--in-luts dens is not a node of the network; use dense [unknown-name]");
  wrong(path("net.graph") + " --in-luts all", 2, "--in-luts needs --front [option-needs]");
  wrong(path("net.graph") + " --in-trees all", 2, "--in-trees needs --front [option-needs]");
  wrong(path("luts.json") + " --front --in-trees all", 2, "--in-trees");
  wrong(path("luts.json") + " --front --in-luts all", 2, "--in-luts");
  const auto refused = [&](const std::string& more, int status, const char* why) {
    const auto made = kumiki("import " + path("net.graph") + more + " -o " + path("none.json"));
    EXPECT_EQ(made.status, status) << made.err;
    EXPECT_THAT(made.err, HasSubstr(why));
    EXPECT_FALSE(fs::exists(path("none.json")));
  };
  refused(" --as dataflow --clocks 1 --in-luts dens", 3,
          "--in-luts dens is not a node of the network; use dense [unknown-name]");
  refused(" --as dataflow --clocks 1 --in-luts dense other", 3,
          "--in-luts other is not a node of the network; use dense [unknown-name]");
  refused(" --as dataflow --clocks 1 --in-trees dens", 3,
          "--in-trees dens is not a node of the network; use dense [unknown-name]");
  refused(" --as array --in-trees all", 2,
          "--in-trees says which layers of a pipeline take no slice; use it with --as dataflow "
          "[option-needs]");
  refused(" --as array --in-luts all", 2, "use it with --as dataflow [option-needs]");
}

TEST_F(CliFront, IsPrintedAndDrawn) {
  const auto r = kumiki("plan " + path("net.graph") + " --front -o " + path("pictures"));
  ASSERT_EQ(r.status, 0) << r.err;
  expect_golden("network/dense.front.txt", r.out.substr(r.out.find("net: ")));
  expect_golden("network/dense.front.svg", text("pictures/net.front.svg"));
}

TEST_F(CliFront, BudgetsAreKept) {
  const json front =
      kumiki("plan " + path("net.graph") + " --front --json").json()["pipelines"][0]["front"];
  const json& middle = front[front.size() / 2];
  const auto luts = middle["luts"].get<int>() + middle["lut_memory"].get<int>();
  const auto import = kumiki(fmt::format("import {} --as dataflow --luts {} -o {}",
                                         path("net.graph"), luts, path("few.json")));
  ASSERT_EQ(import.status, 0) << import.err;
  const json total =
      kumiki("gen " + path("few.json") + " --json -o " + path("out")).json()["resources"]["total"];
  EXPECT_LE(total["luts"].get<int>() + total["lut_memory"].get<int>(), luts);

  const auto few = kumiki("check " + configuration(R"("luts": 10)"));
  EXPECT_EQ(few.status, 3);
  EXPECT_THAT(few.err,
              HasSubstr("/layers/0/luts: 10 is too few for this network, which needs 151 "));
  EXPECT_THAT(few.err, HasSubstr("[pipeline-too-slow]"));
  const auto none =
      kumiki("import " + path("net.graph") + " --as dataflow --luts 10 -o " + path("none.json"));
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("--luts 10 is too few"));
  EXPECT_FALSE(fs::exists(path("none.json")));
  EXPECT_THAT(kumiki("check " + configuration(R"("luts": 900, "clocks": 900)")).err,
              HasSubstr("is given beside \"luts\""));
}

// The fastest have many cells: they are left out with a word, and a budget passes them by.
TEST_F(CliFront, LimitsAreKept) {
  const auto front_of = [&](int cells) {
    return kumiki(fmt::format("plan {} --front --json --max-cells {}", path("net.graph"), cells));
  };
  const json all = json::parse(front_of(1'000'000).out)["pipelines"][0];
  EXPECT_EQ(all["left_out"], 0);
  const auto some = front_of(1500);
  const json fewer = some.json()["pipelines"][0];
  const auto left_out = fewer["left_out"].get<std::size_t>();
  EXPECT_GT(left_out, 0U);
  ASSERT_EQ(fewer["front"].size() + left_out, all["front"].size());
  EXPECT_EQ(fewer["front"].back(), all["front"].back());
  EXPECT_THAT(some.err, HasSubstr(fmt::format("net: {} of its pipelines left out, too large to be "
                                              "built: the netlist has ",
                                              left_out)));
  EXPECT_THAT(some.err, HasSubstr("more than the limit of 1500; raise it with --max-cells"));

  const std::string budget = "import " + path("net.graph") + " --as dataflow --luts 100000 -o ";
  ASSERT_EQ(kumiki(budget + path("few.json") + " --max-cells 1500").status, 0);
  const auto gen = kumiki("gen " + path("few.json") + " --max-cells 1500 -o " + path("out"));
  EXPECT_EQ(gen.status, 0) << gen.err;

  for (const std::string& command :
       {"plan " + path("net.graph") + " --front", budget + path("none.json"),
        "check " + configuration(R"("luts": 100000)")}) {
    const auto none = kumiki(command + " --max-cells 20");
    EXPECT_EQ(none.status, 3) << command;
    EXPECT_THAT(none.err, HasSubstr("more than the limit of 20; raise it with --max-cells"));
  }
  EXPECT_FALSE(fs::exists(path("none.json")));
}

TEST_F(CliFront, WhatHasNone) {
  const auto r = kumiki("plan quickstart.json --front");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("--front: quickstart.json has no pipeline; give a layer of the type "
                               "dataflow, or a trained network (.onnx, .graph) ["));
  EXPECT_EQ(kumiki("plan quickstart.json --clock 100").status, 2);
  EXPECT_EQ(kumiki("plan quickstart.json --front --all").status, 2);
}

}  // namespace front_test
}  // namespace kumiki::test
