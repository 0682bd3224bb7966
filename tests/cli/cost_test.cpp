// SPDX-License-Identifier: Apache-2.0
// `cost`: tables, JSON, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

TEST(CliCost, ThePapersTable) {
  const auto text = kumiki("cost alexnet-paper.json");
  EXPECT_EQ(text.status, 0) << text.err;
  expect_golden("cli/cost-alexnet-paper.txt", text.out);
  const json all = json::parse(kumiki("cost alexnet-paper.json --json").out);
  EXPECT_EQ(all["total_cycles"], 5'890'592);
  EXPECT_EQ(all["layers"][0]["cycles"], 313'632);
  EXPECT_NEAR(all["layers"][2]["input_gbps"].get<double>(), 43.5, 1e-9);
  EXPECT_NEAR(all["comparisons"][0]["total_ms"].get<double>(), 101.38, 0.01);
  EXPECT_EQ(all["sweeps"].size(), 2u);
}

TEST(CliCost, WritesTablesAndPlots) {
  const fs::path out = empty_folder();
  const auto r = kumiki("cost alexnet-paper.json -o '" + out.string() + "'");
  EXPECT_EQ(r.status, 0) << r.err;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(out)) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"cost.json", "layers.csv", "layers.svg", "manifest.json",
                                          "map_size.csv", "map_size.svg", "out_channels.csv",
                                          "out_channels.svg"}));
  for (const char* name : {"layers.csv", "map_size.csv", "out_channels.csv"})
    expect_golden(std::string("cost/") + name, read_bytes(out / name));
  EXPECT_EQ(json::parse(read_bytes(out / "cost.json"))["total_cycles"], 5'890'592);
  EXPECT_THAT(read_bytes(out / "map_size.svg"), HasSubstr("alexnet_paper: input bandwidth"));
}

TEST(CliCost, BeyondThePaper) {
  const auto text = kumiki("cost alexnet.json --beyond");
  EXPECT_EQ(text.status, 0) << text.err;
  expect_golden("cli/cost-alexnet-beyond.txt", text.out);
  for (const char* file : {"alexnet", "vgg16", "lenet5", "resnet18-convs"}) {
    const json all = kumiki(std::string("cost --beyond --json ") + file + ".json").json();
    EXPECT_LT(all["beyond"]["beyond_cycles"], all["beyond"]["paper_cycles"]) << file;
    for (const auto& l : all["beyond"]["layers"]) {
      EXPECT_EQ(l["paper"]["macs"], l["beyond"]["macs"]) << file;
      EXPECT_LE(l["beyond"]["cycles"], l["paper"]["cycles"]) << file;
    }
  }
}

TEST(CliCost, ABatchFromTheCommandLine) {
  const json one = json::parse(kumiki("cost alexnet.json --json").out);
  const json four = json::parse(kumiki("cost alexnet.json --json --batch 4").out);
  EXPECT_EQ(four["total_cycles"], 4 * one["total_cycles"].get<std::int64_t>());
  EXPECT_DOUBLE_EQ(four["frames_per_second"], one["frames_per_second"].get<double>());
  EXPECT_EQ(kumiki("cost alexnet.json --batch 0").status, 2);
}

TEST(CliCost, SaysWhichKeysThereAre) {
  const auto r = kumiki("cost --keys");
  EXPECT_EQ(r.status, 0);
  expect_golden("cli/cost-keys.txt", r.out);
  EXPECT_EQ(kumiki("cost").status, 2);
}

TEST(CliCost, RefusesInWords) {
  auto refused = [](const std::string& arguments, int status, const std::string& why) {
    const auto r = kumiki("cost " + arguments);
    EXPECT_EQ(r.status, status) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_THAT(r.err, HasSubstr(why)) << arguments;
  };
  refused("quickstart.json", 3, "pe_array");
  refused("nowhere.json", 4, "nowhere.json");
  const fs::path two = empty_folder() / "two.json";
  const std::string layer =
      R"({"type": "pe_array", "network": [{"type": "fc", "name": "a", "inputs": 1, "outputs": 1}]})";
  std::ofstream(two) << R"({"kumiki": 1, "name": "two", "layers": [)" << layer << "," << layer
                     << "]}";
  refused("'" + two.string() + "'", 1, "has 2 arrays; it must have one for cost");
}

}  // namespace
}  // namespace kumiki::test
