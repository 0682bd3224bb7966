// SPDX-License-Identifier: Apache-2.0
// The program as its user meets it: texts, exit codes, what goes to stdout and what to stderr.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/cli/bench.h"
#include "tests/support/golden.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A configuration of this text, named cfg.json in a folder of its own.
std::string config(const std::string& text) {
  const fs::path folder = empty_folder();
  std::ofstream(folder / "cfg.json") << text;
  return "'" + (folder / "cfg.json").string() + "'";
}

TEST(Cli, HelpOfTheProgramAndOfEveryCommand) {
  for (const auto& [program, prefix, fewest] :
       {std::tuple{KUMIKI_PROGRAM, "help", 18u}, {KUMIKI_BENCH_PROGRAM, "help-bench", 16u}}) {
    auto all = commands(program);
    EXPECT_GE(all.size(), fewest);
    all.emplace_back();
    for (const std::string& command : all) {
      auto r = called(program, command + " --help");
      EXPECT_EQ(r.status, 0) << command;
      EXPECT_EQ(r.err, "") << command;
      expect_golden(fmt::format("cli/{}{}{}.txt", prefix, command.empty() ? "" : "-", command),
                    r.out);
    }
  }
}

// An option that would act on nothing is refused, before anything is written.
TEST(Cli, OptionsWithoutEffectAreRefused) {
  const auto folder = empty_folder();
  const auto out = "'" + (folder / "out").string() + "'";
  const std::string cells = "--max-cells has no effect on an import that builds no netlist",
                    network = " has no effect on a trained network without --front",
                    empty = "the value must not be empty; give a name, or leave out the option",
                    force = "--force requires --out";
  const std::pair<std::string, std::string> lines[] = {
      {"plan quickstart.json --force", force},
      {"show quickstart.json --force", force},
      {"import models/digits_mlp.onnx --force", force},
      {"cost alexnet-paper.json --force", force},
      {"search search.json --force", force},
      {"run models/digits_mlp.onnx --input models/digits_images.npy --force",
       "--force says that files may be replaced"},
      {"gen quickstart.json --seed 3 -o " + out, "--seed requires --vectors"},
      {"import models/digits_mlp.onnx --max-cells 9", cells},
      {"plan models/digits_mlp.onnx --max-cells 9", "--max-cells" + network},
      {"plan models/digits_mlp.onnx --max-heap-bits 9", "--max-heap-bits" + network},
      {"plan models/digits_mlp.onnx --max-weights 9", "--max-weights" + network},
      {"plan models/digits_mlp.onnx --max-layers 9", "--max-layers" + network},
      {"list dot --elements", "type excludes --elements"},
      {"list dot --devices", "type excludes --devices"},
      {"list --elements --devices", "excludes"},
      {"list dat --json", "unknown layer type \"dat\" (did you mean \"dot\"?"},
      {"cost alexnet-paper.json --keys", "excludes --keys"},
      {"cost --keys --json", "excludes --keys"},
      {"cost --keys --batch 3", "excludes --keys"},
      {"timing quickstart.json --layer ''", "--layer: " + empty},
      {"gen quickstart.json -o ''", "--out: " + empty},
      {"check ''", "config: the value must not be empty; give a name"},
      {"list ''", "type: " + empty}};
  for (const auto& [line, says] : lines) {
    const auto r = kumiki(line);
    EXPECT_EQ(r.status, 2) << line;
    EXPECT_THAT(r.err, HasSubstr(says)) << line;
    EXPECT_EQ(r.out, "") << line;
  }
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(Cli, Version) {
  auto r = kumiki("--version");
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(r.out, ::testing::MatchesRegex("kumiki [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Cli, VersionAndCacheAsJson) {
  const auto version = kumiki("--version --json").json();
  EXPECT_EQ("kumiki " + version["version"].get<std::string>() + "\n", kumiki("--version").out);
  EXPECT_EQ(version["configuration"], 1);
  EXPECT_EQ(kumiki("--json").status, 2);
  EXPECT_EQ(kumiki("--json check quickstart.json").status, 2);
  // One entry: a tree that was solved.
  const auto folder = empty_folder();
  std::ofstream(folder / "cfg.json")
      << R"({"kumiki": 1, "name": "x", "layers": [{"type": "popcount", "bits": 6}]})";
  const auto keep = " --cache '" + (folder / "cache").string() + "'";
  ASSERT_EQ(kumiki("plan '" + (folder / "cfg.json").string() + "'" + keep).status, 0);
  const auto kept = nlohmann::json::parse(kumiki("cache --json" + keep).out);
  ASSERT_EQ(kept["entries"].size(), 1u);
  for (const char* key : {"kind", "key", "bytes", "last_used", "what"})
    EXPECT_TRUE(kept["entries"][0].contains(key)) << key;
  EXPECT_EQ(nlohmann::json::parse(kumiki("cache --clear --json" + keep).out)["removed"], 1);
}

// What was written is said, on stderr where the answer stands on stdout.
TEST(Cli, CommandsSayWhatTheyWrote) {
  const auto folder = empty_folder();
  const auto in = [&](const char* name) { return "'" + (folder / name).string() + "'"; };
  const auto plan = kumiki("plan quickstart.json -o " + in("plans"));
  EXPECT_EQ(plan.err, fmt::format("5 files in {}: pixels.packing.svg, pixels.beats.svg, "
                                  "maps.packing.svg, maps.beats.svg, manifest.json\n",
                                  (folder / "plans").string()));
  EXPECT_EQ(kumiki("show quickstart.json --layer pixels -o " + in("p.svg")).err,
            (folder / "p.svg").string() + ": packing of pixels\n");
  EXPECT_EQ(kumiki("show quickstart.json --blocks -o " + in("b.dot")).err,
            (folder / "b.dot").string() + ": blocks of quickstart\n");
  const auto gen = kumiki("gen quickstart.json -o " + in("out"));
  EXPECT_THAT(gen.out, HasSubstr("files in " + (folder / "out").string() +
                                 ": report.html, quickstart.f and what it lists\n"));
  EXPECT_THAT(kumiki("gen quickstart.json --json -o " + in("out")).err, HasSubstr("files in "));
}

// Whatever gen refuses check refuses, with the same words and at the same line.
TEST(Cli, CheckRefusesWhatGenRefuses) {
  const auto ones = [](const char* name) {
    return fmt::format(R"({{"type": "popcount", "bits": 6, "name": "{}"}})", name);
  };
  const auto of = [&](const std::string& head, const std::string& layers) {
    return fmt::format("{{\"kumiki\": 1, {},\n \"layers\": [{}]}}", head, layers);
  };
  struct Case {
    std::string config, says;
  };
  for (
      const Case& c : std::vector<Case>{
          {of(R"("name": "x")", ones("d") + ",\n  " + ones("D")), "cfg.json:3:43: /layers/1/name"},
          {of(R"("name": "entity")", ones("d")), "cfg.json:1:23: /name: \"entity\" cannot be"},
          {of(R"("name": "x", "target": {"part": "xc7a35tcpg236-1"})", ones("d")),
           "cfg.json:1:47: /target/part: \"xc7a35tcpg236-1\" is a part of 7series, but the netlist "
           "is for ultrascale+; set \"family\" to \"7series\", or choose another part"},
          {of(R"("name": "x", "target": {"column_height": 3})",
              R"({"type": "dot", "terms": 7, "scheme": "wp487-uint8", "packed": {"signed": false}})"),
           "cfg.json:2:51: /layers/0/scheme: \"wp487-uint8\" is refused: slices of a "
           "chain that uses C"}}) {
    const auto file = config(c.config);
    const auto out = fs::path(KUMIKI_TEST_TMP) / name_of_test() / "out";
    const auto check = kumiki("check " + file);
    const auto gen = kumiki("gen " + file + " -o '" + out.string() + "'");
    EXPECT_EQ(check.status, 3) << check.err;
    EXPECT_THAT(check.err, HasSubstr(c.says));
    EXPECT_EQ(gen.status, check.status);
    EXPECT_EQ(gen.err, check.err);
  }
}

TEST(Cli, WrongUsageIsExitCode2AndSaysSoOnStderr) {
  for (const char* arguments :
       {"", "frobnicate", "plan", "plan --frobnicate quickstart.json", "plan a b c",
        "sim quickstart.json --with modelsim", "sim quickstart.json --cycles many"}) {
    auto r = kumiki(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_NE(r.err, "") << arguments;
  }
}

TEST(Cli, AMissingFileIsExitCode4) {
  auto r = kumiki("plan nowhere.json");
  EXPECT_EQ(r.status, 4);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("nowhere.json"));
}

TEST(Cli, ABadConfigurationIsExitCode3WithEveryMistake) {
  auto r = kumiki("check " + config(R"({"kumiki": 1, "name": "x", "layers": [
  {"type": "dot", "terms": 8, "scheme": "wp487-int8"},
  {"type": "dott", "terms": 1},
  {"type": "dot", "terms": 0, "skwe": "internal"}]})"));
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err,
              HasSubstr("cfg.json:2:41: /layers/0/scheme: \"wp487-int8\" is refused: low lane "
                        "after 8 terms is [-130048, 131072], outside [-131072, 131071]"));
  EXPECT_THAT(r.err, HasSubstr("/layers/1/type: \"dott\""));
  EXPECT_THAT(r.err, HasSubstr("did you mean \"dot\"?"));
  EXPECT_THAT(r.err,
              HasSubstr("/layers/2/terms: 0 is out of range; must be an integer from 1 to 65536"));
  EXPECT_THAT(r.err, HasSubstr("did you mean \"skew\"?"));
}

TEST(Cli, ASchemeThatTheFamilyLacksIsRefused) {
  auto r = kumiki("check " + config(R"({"kumiki": 1, "name": "x", "target": {"family": "7series"},
  "layers": [{"type": "dot", "terms": 7, "scheme": "carry-lane"}]})"));
  EXPECT_EQ(r.status, 3);
  EXPECT_THAT(r.err, HasSubstr("/layers/0/scheme: \"carry-lane\" is refused: W = C on 7series; "
                               "use carry-looks [not-on-family]"));
}

TEST(Cli, AColumnTooShortBreaksTheChainOrIsRefused) {
  auto broken =
      kumiki("check " + config(R"({"kumiki": 1, "name": "x", "target": {"column_height": 3},
  "layers": [{"type": "dot", "terms": 7, "scheme": "wp487-int8"}]})"));
  EXPECT_EQ(broken.status, 0) << broken.err;
  auto refused =
      kumiki("check " + config(R"({"kumiki": 1, "name": "x", "target": {"column_height": 3},
  "layers": [{"type": "dot", "terms": 7, "scheme": "wp487-uint8", "packed": {"signed": false}}]})"));
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err,
              HasSubstr("cfg.json:2:52: /layers/0/scheme: \"wp487-uint8\" is refused: slices of a "
                        "chain that uses C"));
}

TEST(Cli, PlanAsTextAndAsJson) {
  auto text = kumiki("plan quickstart.json");
  EXPECT_EQ(text.status, 0);
  expect_golden("cli/plan-quickstart.txt", text.out);
  auto parsed = kumiki("plan --json quickstart.json").json();
  EXPECT_EQ(parsed["layers"][0]["name"], "pixels");
  EXPECT_EQ(parsed["layers"][0]["latency"], 12);
  EXPECT_EQ(parsed["layers"][0]["slices"], 7);
}

// Seven narrow terms: some schemes are proved, best first, others refused with what breaks.
TEST(Cli, PlanAllShowsEveryProvedPlanAndEveryRefusal) {
  const std::string cfg = config(R"({"kumiki": 1, "name": "x", "layers": [
  {"type": "dot", "name": "a", "terms": 9},
  {"type": "requant", "name": "b", "accumulator_bits": 24, "scale": 0.01}]})");
  auto text = kumiki("plan --all " + cfg);
  EXPECT_EQ(text.status, 0) << text.err;
  expect_golden("cli/plan-all.txt", text.out);
  EXPECT_THAT(text.out, HasSubstr("wp487-int8: low lane after 9 terms is [-146304, 147456], "
                                  "outside [-131072, 131071]"));

  const auto layers = kumiki("plan --all --json " + cfg).json()["layers"];
  const auto& plans = layers[0]["alternatives"]["plans"];
  const auto& refused = layers[0]["alternatives"]["refused"];
  ASSERT_GT(plans.size(), 8u);
  ASSERT_GT(refused.size(), 3u);
  EXPECT_EQ(plans[0]["slices"], layers[0]["slices"]);
  EXPECT_EQ(plans[0]["latency"], layers[0]["latency"]);
  for (std::size_t k = 1; k < plans.size(); ++k)
    EXPECT_GE(plans[k - 1]["mac_per_slice"], plans[k]["mac_per_slice"]);
  const auto& low = *std::find_if(refused.begin(), refused.end(),
                                  [](const auto& r) { return r["scheme"] == "wp487-int8"; });
  EXPECT_EQ(low["value"], (nlohmann::json{-146304, 147456}));
  EXPECT_EQ(low["bound"], (nlohmann::json{-131072, 131071}));
  EXPECT_FALSE(layers[1].contains("alternatives"));

  // Another objective, another order; without the flag nothing of it.
  auto soon = kumiki("plan --all --json " + config(R"({"kumiki": 1, "name": "x", "layers": [
  {"type": "dot", "terms": 9, "objective": "shortest-latency"}]})"));
  const auto hasty = nlohmann::json::parse(soon.out)["layers"][0]["alternatives"]["plans"];
  for (std::size_t k = 1; k < hasty.size(); ++k)
    EXPECT_LE(hasty[k - 1]["latency"], hasty[k]["latency"]);
  EXPECT_EQ(kumiki("plan --json quickstart.json").out.find("alternatives"), std::string::npos);
}

// The way without slices is a row like the others, with no MAC a slice to speak of.
TEST(Cli, BenchPackingHasARowWithoutSlices) {
  auto r = kumiki_bench("packing --terms 8 --skew both --cycles 300 --json");
  ASSERT_EQ(r.status, 0) << r.err;
  int rows = 0;
  for (const auto& row : nlohmann::json::parse(r.out)) {
    EXPECT_EQ(row["mac_per_slice"].is_null(), row["scheme"] == "lut-macc");
    if (row["scheme"] != "lut-macc") continue;
    ++rows;
    EXPECT_EQ(row["slices"], 0);
    // A sum of 19 bits goes through its adders in two parts.
    EXPECT_EQ(row["latency"], (row["skew"] == "external" ? 4 + 7 : 4 + 3) + 1);
    EXPECT_GT(row["lut_per_mac"], 40);
    EXPECT_LT(row["lut_per_mac"], 65);
    EXPECT_TRUE(row["exact"]);
  }
  EXPECT_EQ(rows, 2);
  auto text = kumiki_bench("packing --terms 1 --cycles 200");
  EXPECT_THAT(text.out, ::testing::ContainsRegex("lut-macc .* - .* yes"));
}

TEST(Cli, CheckShowListAndSchema) {
  auto check = kumiki("check quickstart.json");
  EXPECT_EQ(check.status, 0);
  EXPECT_EQ(check.out, "quickstart: 2 layers, 3 modules, 0 errors, 0 warnings\n");
  auto show = kumiki("show quickstart.json");
  EXPECT_THAT(show.out, HasSubstr("pixels : dot_wp487_int8_s8xs8_n7"));
  auto module = kumiki("show quickstart.json --module dot_wp487_int8_s8xs8_n7");
  EXPECT_EQ(module.status, 0);
  EXPECT_THAT(module.out, HasSubstr("DSP48E2"));
  EXPECT_EQ(kumiki("show quickstart.json --module nothing").status, 2);
  EXPECT_EQ(kumiki("list nothing").status, 2);
  EXPECT_THAT(kumiki("list").out, HasSubstr("dot"));
  auto schema = nlohmann::json::parse(kumiki("schema").out);
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

// The whole way: netlist, lockstep on both simulators, mutations, report, manifest; the same bytes
// again.
TEST(Cli, SimulatesAndWritesTheSameFilesTwice) {
  const fs::path folder = fs::path(KUMIKI_TEST_TMP) / "cli_sim";
  fs::remove_all(folder);
  auto one =
      kumiki("sim quickstart.json --cycles 400 --mutate 60 -o '" + (folder / "one").string() + "'");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("verilator     400"));
  EXPECT_THAT(one.out, HasSubstr("passed"));
  auto two =
      kumiki("sim quickstart.json --cycles 400 --mutate 60 -o '" + (folder / "two").string() + "'");
  ASSERT_EQ(two.status, 0) << two.err;
  unsigned files = 0;
  for (const auto& f : fs::recursive_directory_iterator(folder / "one")) {
    if (!f.is_regular_file()) continue;
    ++files;
    EXPECT_EQ(read_bytes(f.path()),
              read_bytes(folder / "two" / fs::relative(f.path(), folder / "one")))
        << f.path();
  }
  EXPECT_GE(files, 8u);
  auto report = nlohmann::json::parse(read_bytes(folder / "one" / "report.json"));
  EXPECT_EQ(report["resources"]["total"]["dsps"], 11);
  for (const auto& run : report["lockstep"]) EXPECT_TRUE(run["passed"]);
  EXPECT_GE(report["mutations"]["caught_fraction"], 0.95);
  EXPECT_THAT(read_bytes(folder / "one" / "report.json"),
              ::testing::Not(HasSubstr(KUMIKI_TEST_DIR)));
}

TEST(Cli, GenAndSynthAgreeWithYosys) {
  const fs::path folder = fs::path(KUMIKI_TEST_TMP) / "cli_synth";
  auto gen = kumiki("gen quickstart.json --json -o '" + (folder / "gen").string() + "'");
  EXPECT_EQ(gen.json()["resources"]["cells"]["DSP48E2"], 11);
  auto synth = kumiki("synth quickstart.json --json -o '" + (folder / "synth").string() + "'");
  EXPECT_TRUE(synth.json()["yosys"]["agrees"]);
}

TEST(Cli, AFolderThatCannotBeWrittenIsExitCode4) {
  auto r = kumiki("gen quickstart.json -o /proc/nothing");
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, HasSubstr("/proc/nothing"));
}

TEST(Cli, ElementsOfCompressorTreesWithTheirArea) {
  auto r = kumiki("list --elements");
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(
      r.out,
      HasSubstr("A06            atom     6                   1,1                    2     1"));
  auto json = nlohmann::json::parse(kumiki("list --elements --json").out);
  EXPECT_EQ(json.size(), 21u + 17u);
  EXPECT_EQ(json[1]["name"], "c25");
  EXPECT_EQ(json[1]["luts"], 2);
}

// Counted on the netlist; the tree is shipped, so that this takes no time.
TEST(Cli, BenchOfCompressorsAndNeurons) {
  auto rows_of = [](const std::string& options) {
    auto r = kumiki_bench(options + " --no-naive --json");
    return r.json();
  };
  auto rows = rows_of("compressor --heap 'popcount 64' --objective stages");
  ASSERT_EQ(rows.size(), 1u);  // of just this name, not "popcount 64, pipelined"
  EXPECT_EQ(rows[0]["heap"], "popcount 64");
  EXPECT_LE(rows[0]["luts"], 47);
  EXPECT_LE(rows[0]["bound"], rows[0]["luts"]);
  EXPECT_GE(rows[0]["levels"], 3);
  EXPECT_GT(rows[0]["delay_ns"], 3.0);
  EXPECT_FALSE(rows[0].contains("naive_luts"));
  rows = rows_of("compressor --heap 'popcount 64' --objective luts");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_LE(rows[0]["luts"], 45);
  rows = rows_of("neuron --heap 'neuron 32, embedded' --objective luts");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_LE(rows[0]["luts"], 22);
  EXPECT_EQ(kumiki_bench("nothing").status, 2);
}

}  // namespace
}  // namespace kumiki::test
