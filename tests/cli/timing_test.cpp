// SPDX-License-Identifier: Apache-2.0
// `timing` and `kumiki-bench clock`: text, JSON, goals, exit codes, and the same figures in
// report.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/bench.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(CliTiming, ShowsThePathsOfALayer) {
  const auto r = kumiki("timing quickstart.json --layer maps --paths 2 --grade 2");
  EXPECT_EQ(r.status, 0) << r.err;
  expect_golden("cli/timing-maps.txt", r.out);
}

json timing(const std::string& arguments, int status = 0) {
  const auto r = kumiki("timing --json " + arguments);
  EXPECT_EQ(r.status, status) << r.err;
  return json::parse(r.out);
}

TEST(CliTiming, EveryPathAddsUpAndEveryCellHasAPlace) {
  const json all = timing("perceptron.json --paths 20 --axi-stream");
  EXPECT_EQ(all["is_estimate"], true);
  ASSERT_EQ(all["paths"].size(), 20u);
  double before = 1e9;
  for (const json& p : all["paths"]) {
    double sum = 0.035 + p["end"]["wire_ns"].get<double>() + p["end"]["setup_ns"].get<double>();
    for (const json& c : p["cells"]) {
      sum += c["wire_ns"].get<double>() + c["cell_ns"].get<double>();
      if (c["primitive"] == "port") continue;
      const std::string place = c["place"];
      EXPECT_TRUE(std::regex_match(place, std::regex("gen/[a-z0-9_/]+\\.(cpp|h):[0-9]+"))) << place;
    }
    EXPECT_NEAR(sum, p["period_ns"].get<double>(), 1e-6);
    EXPECT_LE(p["period_ns"].get<double>(), before);
    before = p["period_ns"];
    EXPECT_EQ(p["levels"].get<int>() + 1, static_cast<int>(p["cells"].size()));
  }
  std::size_t ends = 0;
  for (const json& b : all["slack"]) ends += b["ends"].get<std::size_t>();
  EXPECT_EQ(ends, all["ends"].get<std::size_t>());
}

TEST(CliTiming, AMissedGoalIsExitCode1) {
  const json met = timing("quickstart.json --mhz 100");
  EXPECT_EQ(met["meets_goal"], true);
  EXPECT_EQ(met["missed"], 0);
  EXPECT_EQ(met["goal_ns"], 10);
  const json without = timing("quickstart.json");
  EXPECT_FALSE(without.contains("goal_ns") || without.contains("meets_goal"));
  const json missed = timing("quickstart.json --period 0.6", 1);
  EXPECT_EQ(missed["meets_goal"], false);
  EXPECT_GT(missed["missed"].get<int>(), 0);
  EXPECT_LT(missed["slack"][0]["from_ns"].get<double>(), 0);
  const auto text = kumiki("timing quickstart.json --paths 0 --mhz 1500");
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, HasSubstr("1500 MHz is missed by this estimate"));
  // Paths may be short enough and a slice too slow.
  const json limited = timing("quickstart.json --mhz 660 --paths 0", 1);
  EXPECT_EQ(limited["limits"][0]["mhz"], 645);
}

TEST(CliTiming, GradesComeFromThePart) {
  const auto grade = [](const std::string& target) {
    const auto folder = empty_folder();
    std::ofstream(folder / "cfg.json")
        << R"({"kumiki": 1, "name": "a", "target": {)" + target +
               R"(}, "layers": [{"type": "popcount", "bits": 6, "pipeline": 1}]})";
    return timing("'" + (folder / "cfg.json").string() + "'")["grade"].get<int>();
  };
  EXPECT_EQ(grade(R"("family": "ultrascale+", "part": "xczu9eg-ffvb1156-2-e")"), 2);
  EXPECT_EQ(grade(R"("family": "ultrascale+", "part": "xcvu9p-flga2104-3-e")"), 3);
  EXPECT_EQ(grade(R"("family": "ultrascale")"), 1);
}

TEST(CliTiming, RefusesWhatIsNotThere) {
  const auto layer = kumiki("timing quickstart.json --layer map");
  EXPECT_EQ(layer.status, 2);
  EXPECT_THAT(layer.err, HasSubstr("unknown layer \"map\"; use pixels or maps"));
  EXPECT_EQ(kumiki("timing quickstart.json --mhz 300 --period 3").status, 2);
  EXPECT_EQ(kumiki("timing quickstart.json --grade 4").status, 2);
}

TEST(CliTiming, TheReportHasTheSameFigures) {
  const auto out = empty_folder();
  ASSERT_EQ(kumiki("gen quickstart.json -o '" + out.string() + "'").status, 0);
  const json report = json::parse(read_bytes(out / "report.json"));
  const json own = timing("quickstart.json --paths 1");
  EXPECT_EQ(report["clock"]["period_ns"], own["period_ns"]);
  EXPECT_EQ(report["clock"]["paths"], own["paths"]);
  EXPECT_EQ(report["depth"]["levels"], own["deepest"]["levels"]);
  const std::string page = read_bytes(out / "report.html");
  EXPECT_THAT(page, HasSubstr("an estimate"));
  EXPECT_THAT(page, HasSubstr(own["paths"][0]["end"]["pin"].get<std::string>()));
}

TEST(CliTiming, EveryTypeHasARow) {
  const auto r = kumiki_bench("clock --json");
  ASSERT_EQ(r.status, 0) << r.err;
  std::set<std::string> types;
  for (const json& row : json::parse(r.out)) {
    types.insert(row["type"].get<std::string>());
    EXPECT_GT(row["mhz"].get<double>(), 50) << row["design"];
    if (row["type"] == "pe_array") {
      EXPECT_GT(row["mac_per_slice"].get<double>(), 0) << row["design"];
      EXPECT_GT(row["gops"].get<double>(), 0) << row["design"];
    }
    if (!row["promised"].is_null()) {
      EXPECT_LE(row["levels"].get<int>(), row["promised"].get<int>()) << row["design"];
    }
  }
  std::istringstream listed(kumiki("list").out);
  for (std::string line; std::getline(listed, line);)
    if (line.starts_with("  ") && line[2] != ' ') {
      EXPECT_TRUE(types.contains(line.substr(2, line.find(' ', 2) - 2))) << line;
    }
  EXPECT_GE(types.size(), 18u);
  EXPECT_THAT(kumiki_bench("clock packing-64.json").out, HasSubstr("packing-64 int8 "));
}

}  // namespace
}  // namespace kumiki::test
