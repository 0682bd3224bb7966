// SPDX-License-Identifier: Apache-2.0
// `kumiki reduce`: what fails becomes small, and what goes wrong is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/support/running.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CliReduce : public InFolder {
 protected:
  // One of them asks for more terms than its scheme has.
  std::string ten_layers() const {
    std::string layers;
    for (int i = 0; i < 10; ++i)
      layers += fmt::format(
          "{}\n{{\"type\": \"dot\", \"name\": \"d{}\", \"terms\": {}, "
          "\"scheme\": \"wp487-int8\"}}",
          i == 0 ? "" : ",", i, i == 6 ? 8 : 7);
    return config(R"({"kumiki": 1, "name": "ten", "layers": [)" + layers + "]}");
  }
  std::string program() const { return std::string("'") + KUMIKI_PROGRAM + "'"; }
};

TEST_F(CliReduce, OfTenLayersTheOneThatIsRefusedIsLeft) {
  const auto file = ten_layers();
  const auto r =
      kumiki("reduce " + file + " --output 'is refused: low lane' -- " + program() + " check");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(text("cfg.reduced.json"),
            "{\"kumiki\": 1, \"name\": \"n\", \"layers\": [{\"type\": \"dot\", \"terms\": 8, "
            "\"scheme\": \"wp487-int8\"}]}\n");
  EXPECT_THAT(r.out, HasSubstr("cfg.reduced.json: 8 of 54 values, 92 of "));
  const auto check = kumiki("check " + path("cfg.reduced.json"));
  EXPECT_EQ(check.status, 3);
  EXPECT_THAT(check.err, HasSubstr("is refused: low lane after 8 terms"));
}

TEST_F(CliReduce, SaysSoAsJsonAndIsTheSameEveryTime) {
  const auto file = ten_layers();
  const auto reduce = [&](const char* name) {
    return kumiki("reduce " + file + " --json -o " + path(name) +
                  " --output 'is refused: low lane' -- " + program() + " check {}");
  };
  const auto one = reduce("one.json"), two = reduce("two.json");
  ASSERT_EQ(one.status, 0) << one.err;
  const auto json = nlohmann::json::parse(one.out);
  EXPECT_EQ(json["file"], (folder_ / "one.json").string());
  EXPECT_EQ(json["parts"], "values");
  EXPECT_EQ(json["after"], 8);
  EXPECT_EQ(json["bytes_after"], text("one.json").size());
  EXPECT_EQ(json["finished"], true);
  EXPECT_EQ(json["runs"], nlohmann::json::parse(two.out)["runs"]);
  EXPECT_EQ(text("one.json"), text("two.json"));
}

// A word of a look-up table is wrong; Yosys sees where that shows. What is left is the table and
// the way from it to an output.
TEST_F(CliReduce, ANetlistWithAFaultIsItsFewCells) {
  const auto cfg = config(
      R"({"kumiki": 1, "name": "ones", "layers": [{"type": "popcount", "name": "a", "bits": 12}]})");
  ASSERT_EQ(kumiki("gen " + cfg + " -o " + path("out")).status, 0);
  std::string netlist = text("out/popcount12.v");
  const std::string right = "6996966996696996", wrong = "6996966996696997";
  const auto at = netlist.find(right);
  ASSERT_NE(at, std::string::npos);
  write("faulty.v", netlist.replace(at, right.size(), wrong));
  write("shows.sh", "set -e\ngood=$(mktemp)\nsed 's/" + wrong + "/" + right +
                        "/' \"$1\" > \"$good\"\nyosys -q -p \"read_verilog " +
                        (folder_ / "out/primitives").string() +
                        "/*.v $1; rename popcount12 bad; read_verilog $good; rename popcount12 "
                        "good; hierarchy; proc; flatten; miter -equiv -make_assert -flatten good "
                        "bad both; sat -verify -prove-asserts both\" 2>&1\n");
  const auto r = kumiki("reduce " + path("faulty.v") + " --output 'proof did fail' -- sh " +
                        path("shows.sh") + " {}");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("faulty.reduced.v: 4 of 9 cells, "));
  const auto left = text("faulty.reduced.v");
  EXPECT_THAT(left, HasSubstr(wrong));
  EXPECT_EQ(left.find("input"), std::string::npos) << left;
}

// A file beside the configuration is found from every candidate.
TEST_F(CliReduce, NeighboursOfTheFileAreThere) {
  write("needle", "here\n");
  const auto file = config(R"({"a": [1, 2, 3], "b": "bad"})");
  const auto r = kumiki("reduce " + file +
                        " -- sh -c 'grep -q here $(dirname {})/needle && ! grep -q bad {}'");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(text("cfg.reduced.json"), "{\"b\": \"bad\"}\n");
}

TEST_F(CliReduce, WhatCannotBeReducedIsSaid) {
  const auto file = config(R"({"a": 1} )");
  struct Case {
    std::string arguments;
    int status;
    std::string says;
  };
  write("broken.json", "{\"a\": }");
  write("notes.txt", "nothing of the kind\n");
  write("there.json", "{}");
  const auto to = " -o " + path("new.json");
  for (const Case& c : std::vector<Case>{
           {file + to + " -- true", 2, "the command does not fail on"},
           {file + to + " --exit 3 -- false", 2, "ends on"},
           {file + to + " --output needle -- false", 2, "does not contain \"needle\""},
           {file + to, 2, "command is required"},
           {file + to + " --tries 0 -- false", 2, "a whole number from 1"},
           {file + to + " --time 1 -- sh -c 'sleep 30'", 2, "has not ended on"},
           // The first run ends in time, the second one does not.
           {file + to + " --time 1 -- sh -c 'sleep 0.7; false'", 2, "has not ended on"},
           // The original has a blank at its end.
           {file + to + " -- sh -c '! grep -q \"} $\" {}'", 2,
            "cfg.json is only laid out anew, without comments: a --output that names no place is "
            "legal"},
           {path("broken.json") + to + " -- false", 3, "broken.json:1:7: "},
           {path("notes.txt") + to + " -- false", 4, "there is no module"},
           {path("missing.json") + to + " -- false", 4, "missing.json"},
           {file + " -o " + path("there.json") + " -- false", 4, "is there already"},
           {file + to + " -- no-such-program", 4, "cannot start no-such-program"}}) {
    const auto r = kumiki("reduce " + c.arguments);
    EXPECT_EQ(r.status, c.status) << c.arguments << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(c.says));
    EXPECT_EQ(r.out, "");
    EXPECT_FALSE(fs::exists(folder_ / "new.json")) << c.arguments;
  }
  EXPECT_EQ(text("there.json"), "{}");
  EXPECT_EQ(kumiki("reduce " + file + " -o " + path("there.json") + " --force -- false").status, 0);
  EXPECT_EQ(text("there.json"), "{}\n");
  // A word of the command may be empty.
  EXPECT_EQ(kumiki("reduce " + file + to + " -- sh -c 'test -n \"$1\"' sh ''").status, 0);
}

TEST_F(CliReduce, TriesThatAreUsedUpAreSaid) {
  const auto r = kumiki("reduce " + ten_layers() +
                        " --tries 7 --output 'is refused: low lane' -- " + program() + " check");
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(r.err, HasSubstr("kumiki: the runs of --tries are used up, more might go\n"));
  EXPECT_THAT(r.out, HasSubstr("after 7 runs of the command"));
  EXPECT_THAT(kumiki("check " + path("cfg.reduced.json")).err, HasSubstr("is refused: low lane"));
}

class CliReduceInterrupted : public CliReduce {
 protected:
  std::vector<std::string> slow_run() const {
    std::string numbers = "[1";
    for (int i = 2; i < 150; ++i) numbers += fmt::format(", {}", i);
    write("cfg.json", numbers + "]");
    return {"reduce", (folder_ / "cfg.json").string(), "--take-incumbent", "--", "sh",
            "-c",     "sleep 0.5; ! grep -q 42 {}"};
  }
};

TEST_F(CliReduceInterrupted, CtrlCWritesNothing) {
  auto words = slow_run();
  words.erase(words.begin() + 2);
  Running r(folder_, words);
  ASSERT_TRUE(r.wait_for("kumiki: reducing"));
  r.signal(SIGINT);
  EXPECT_EQ(r.wait(), 130);
  EXPECT_EQ(text("err").substr(text("err").rfind("kumiki: ")), "kumiki: interrupted\n");
  EXPECT_FALSE(fs::exists(folder_ / "cfg.reduced.json"));
}

TEST_F(CliReduceInterrupted, TheSmallestSoFarIsTakenWhereThatWasAskedFor) {
  Running r(folder_, slow_run());
  ASSERT_TRUE(r.wait_for("kumiki: reducing"));
  r.signal(SIGINT);
  EXPECT_EQ(r.wait(), 0);
  EXPECT_THAT(text("err"), HasSubstr("kumiki: interrupted, more might go\n"));
  EXPECT_THAT(text("cfg.reduced.json"), HasSubstr("42"));
}

}  // namespace
}  // namespace kumiki::test
