// SPDX-License-Identifier: Apache-2.0
// `prove --time` holds whatever Yosys and ABC do, and nothing that it started goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/alive.h"
#include "tests/support/golden.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;

constexpr int endless = 1000;  // seconds: a test that waits for it has failed

// A program of this name in front of all others, that says who it is, begins an answer and never
// ends.
class Prove : public ::testing::TestWithParam<const char*> {
 protected:
  Prove() : folder_(empty_folder()), path_(std::getenv("PATH")) {
    const auto shim = folder_ / GetParam();
    std::ofstream(shim) << "#!/bin/sh\nsleep " << endless << " & echo $! >> '"
                        << (folder_ / "pids").string() << "'; echo $$ >> '"
                        << (folder_ / "pids").string() << "'; echo 'aig 9 1' > merged.aig; wait\n";
    fs::permissions(shim, fs::perms::owner_all);
    std::ofstream(folder_ / "cfg.json")
        << R"({"kumiki": 1, "name": "x", "layers": [{"type": "bnn_serial", "name": "a",
            "inputs": 8, "cycles": 2, "threshold": 5}]})";
    ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }
  ~Prove() override { ::setenv("PATH", path_.c_str(), 1); }

  std::vector<int> pids() const {
    std::ifstream file(folder_ / "pids");
    std::vector<int> all;
    for (int pid = 0; file >> pid;) all.push_back(pid);
    return all;
  }
  fs::path folder_;
  std::string path_;
};

TEST_P(Prove, TheTimeIsKeptWhenAToolNeverEnds) {
  const auto r = kumiki("prove --json --time 8 '" + (folder_ / "cfg.json").string() + "'");
  EXPECT_EQ(r.status, 5) << r.err;
  const auto layer = nlohmann::json::parse(r.out)["layers"][0];
  EXPECT_EQ(layer["result"], "not finished");
  EXPECT_LT(layer["seconds"].get<double>(), endless / 10);
  ASSERT_FALSE(pids().empty()) << GetParam() << " was never asked";
  for (const int pid : pids())
    EXPECT_TRUE(soon([&] { return is_gone(pid); })) << GetParam() << " goes on";
}

std::string name_of(const ::testing::TestParamInfo<const char*>& info) {
  return std::string(info.param) == "yosys" ? "Yosys" : "Abc";
}
INSTANTIATE_TEST_SUITE_P(Tools, Prove, ::testing::Values("yosys", "yosys-abc"), name_of);

// A netlist that was edited after gen wrote it.
TEST(ProveNetlist, ARightEditIsProvedAndAWrongOneRefuted) {
  const auto folder = empty_folder();
  const auto in = [&](const std::string& name) { return "'" + (folder / name).string() + "'"; };
  std::ofstream(folder / "cfg.json")
      << R"({"kumiki": 1, "name": "x", "layers": [{"type": "popcount", "name": "a", "bits": 3},
                                               {"type": "popcount", "name": "b", "bits": 5}]})";
  ASSERT_EQ(kumiki("gen " + in("cfg.json") + " -o " + in("out")).status, 0);
  const auto edit = [&](const char* sum) {
    std::ofstream(folder / "edited.v") << "module popcount3 (input [2:0] x, output [1:0] sum);\n"
                                          "  assign sum = "
                                       << sum << ";\nendmodule\n";
    return kumiki("prove " + in("cfg.json") + " --netlist " + in("edited.v"));
  };
  const auto right = edit("x[0] + x[1] + x[2]");
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_THAT(right.out, ::testing::ContainsRegex("a  .* proved "));
  EXPECT_THAT(right.err, ::testing::HasSubstr("are left out: b"));
  const auto wrong = edit("x[0] + x[1] | x[2]");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, ::testing::ContainsRegex("a  .* refuted "));
  EXPECT_THAT(wrong.out, ::testing::HasSubstr("x = 3'h"));
  std::ofstream(folder / "other.v") << "module other; endmodule\n";
  const auto other = kumiki("prove " + in("cfg.json") + " --netlist " + in("other.v"));
  EXPECT_EQ(other.status, 4);
  EXPECT_THAT(
      other.err,
      ::testing::HasSubstr(
          "other is not a module of this netlist; modules of the netlist are x (the top) and "));
  EXPECT_EQ(kumiki("prove " + in("cfg.json") + " --netlist " + in("nowhere.v")).status, 4);
}

// A definition that keeps the frame of a camera is nothing for Yosys: it is not asked, what could
// be proved is said, and the other layers have their turn.
TEST(ProveLarge, AWholeFrameOfACameraIsNotTried) {
  const auto file = empty_folder() / "cfg.json";
  std::ofstream(file) << R"({"kumiki": 1, "name": "x", "layers": [
      {"type": "vision", "name": "a", "width": 1920, "height": 1080,
       "stages": [{"kernel": "erode"}]},
      {"type": "popcount", "name": "b", "bits": 6}]})";
  const auto r = kumiki("prove --json '" + file.string() + "'");
  EXPECT_EQ(r.status, 5) << r.err;
  const auto layers = nlohmann::json::parse(r.out)["layers"];
  EXPECT_EQ(layers[0]["result"], "no definition in Verilog");
  EXPECT_THAT(layers[0]["why"].get<std::string>(),
              ::testing::HasSubstr("at most 16384 bits, this one has 16588800"));
  EXPECT_EQ(layers[1]["result"], "proved");
}

}  // namespace
}  // namespace kumiki::test
