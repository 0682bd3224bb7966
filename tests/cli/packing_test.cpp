// SPDX-License-Identifier: Apache-2.0
// Packed dot products from the command line: the table, the pictures, what is refused and how.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/bench.h"
#include "tests/support/program.h"

namespace kumiki {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::kumiki;
using test::kumiki_bench;
using ::testing::HasSubstr;

std::set<std::string> keys(const json& object) {
  std::set<std::string> all;
  for (const auto& item : object.items()) all.insert(item.key());
  return all;
}

// Rows by scheme, note and bits of the first operand: "canary//4".
std::map<std::string, json> table(const std::string& arguments) {
  const auto r = kumiki_bench("packing --json " + arguments);
  EXPECT_EQ(r.status, 0) << r.err;
  std::map<std::string, json> rows;
  for (const auto& row : json::parse(r.out)) {
    EXPECT_EQ(row["exact"], true) << row.dump();
    rows[row["scheme"].get<std::string>() + "/" + row["note"].get<std::string>() + "/" +
         row["a_bits"].dump()] = row;
  }
  return rows;
}

double figure(const std::map<std::string, json>& rows, const char* row, const char* key) {
  const auto at = rows.find(row);
  if (at == rows.end()) ADD_FAILURE() << "no row " << row;
  return at == rows.end() ? -1 : at->second[key].get<double>();
}

TEST(CliPacking, TheTableHasItsKeys) {
  const auto rows = kumiki_bench("packing --terms 7 --json").json();
  ASSERT_GE(rows.size(), 20u);
  for (const auto& row : rows) {
    for (const char* key : {"scheme", "a_bits", "b_bits", "terms", "skew", "slices", "luts", "ffs",
                            "carries", "mac_per_slice", "lut_per_mac", "latency", "exact"})
      EXPECT_TRUE(keys(row).count(key)) << key;
    EXPECT_EQ(row["terms"], 7);
    EXPECT_EQ(row["skew"], "external");
    EXPECT_EQ(row["exact"], true) << row.dump();
  }
}

// What the notes promise, on generated netlists that have just run.
TEST(CliPacking, FiguresAt256Terms) {
  const auto rows = table("--terms 256 --cycles 1000");
  double no_lut = 0, two = 1e9;
  for (const auto& [name, row] : rows) {
    if (row["a_bits"] != 8 || row["b_bits"] != 8 || row["note"] != "") continue;
    if (row["mac_per_slice"].is_null()) continue;  // the way without slices
    const auto ratio = row["mac_per_slice"].get<double>();
    if (row["luts"] == 0) no_lut = std::max(no_lut, ratio);
    if (ratio >= 2.0) two = std::min(two, row["lut_per_mac"].get<double>());
  }
  EXPECT_GE(no_lut, 1.93);
  EXPECT_LE(two, 1.0);
  EXPECT_DOUBLE_EQ(figure(rows, "canary//4", "mac_per_slice"), 6.0);
  EXPECT_DOUBLE_EQ(figure(rows, "canary//3", "mac_per_slice"), 12.0);
  EXPECT_DOUBLE_EQ(figure(rows, "canary//2", "mac_per_slice"), 18.0);
  for (const auto& [name, row] : rows) {
    if (row["scheme"] == "canary") {
      EXPECT_LE(row["lut_per_mac"].get<double>(), 8.0) << name;
    }
  }
}

TEST(CliPacking, FormsOfTheWhitePapersAndFourLanesAtTheirOwnLengths) {
  const auto fourteen = table("--terms 14");
  EXPECT_DOUBLE_EQ(figure(fourteen, "wp487-int8-dsp//8", "mac_per_slice"), 14.0 / 8);
  EXPECT_EQ(figure(fourteen, "wp487-int8-dsp//8", "luts"), 0);
  const auto sixteen = table("--terms 16");
  EXPECT_DOUBLE_EQ(figure(sixteen, "wp487-uint8-dsp//8", "mac_per_slice"), 16.0 / 9);
  EXPECT_EQ(figure(sixteen, "wp487-uint8-dsp//8", "luts"), 0);
  const auto nine = table("--terms 9");
  EXPECT_DOUBLE_EQ(figure(nine, "four-lane/offset/4", "mac_per_slice"), 4.0);
  EXPECT_EQ(figure(nine, "four-lane/offset/4", "luts"), 0);
}

TEST(CliPacking, WrongUseOfTheTable) {
  const auto table = kumiki_bench("frobs");
  EXPECT_EQ(table.status, 2);
  EXPECT_THAT(table.err, HasSubstr("unknown command \"frobs\"; use packing, "));
  for (const char* arguments :
       {"", "packing --skew sideways", "packing --terms 0", "packing --terms 65537"}) {
    const auto r = kumiki_bench(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_NE(r.err, "") << arguments;
  }
}

TEST(CliPacking, PlanWritesAPictureOfEveryLayer) {
  const fs::path folder = KUMIKI_TEST_TMP "/cli_pictures";
  fs::remove_all(folder);
  const auto plain = kumiki("plan quickstart.json");
  const auto r = kumiki("plan quickstart.json -o '" + folder.string() + "'");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, plain.out);
  std::set<std::string> names;
  for (const auto& f : fs::directory_iterator(folder)) names.insert(f.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"manifest.json", "pixels.packing.svg", "pixels.beats.svg",
                                          "maps.packing.svg", "maps.beats.svg"}));
  const auto svg = test::read_bytes(folder / "pixels.packing.svg");
  EXPECT_THAT(svg, HasSubstr("wp487-int8"));
  // The same pictures stand beside a netlist, and a plan leaves the netlist alone.
  const auto gen = kumiki("gen quickstart.json -o '" + folder.string() + "'");
  ASSERT_EQ(gen.status, 0) << gen.err;
  EXPECT_EQ(test::read_bytes(folder / "pixels.packing.svg"), svg);
  const auto report = json::parse(test::read_bytes(folder / "report.json"));
  EXPECT_EQ(report["layers"][0]["pictures"],
            json::array({"pixels.packing.svg", "pixels.beats.svg"}));
  EXPECT_GT(report["layers"][0]["plan"]["proofs"].size(), 3u);
  EXPECT_EQ(kumiki("plan quickstart.json -o '" + folder.string() + "'").status, 0);
  EXPECT_TRUE(fs::exists(folder / "report.json"));
  EXPECT_EQ(kumiki("plan quickstart.json -o /proc/nothing").status, 4);
}

TEST(CliPacking, EverySchemeSideBySide) {
  const auto r = kumiki("sim packing-64.json --with native --cycles 600 -o '" KUMIKI_TEST_TMP
                        "/cli_packing_64'");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("passed"));
}

// One layer a case: exit code 3, place, pointer, value, what breaks, what is legal.
TEST(CliPacking, Refusals) {
  const char* const cases[] = {
      R"({"type": "dot", "scheme": "wp487-int8", "terms": 8})",
      R"({"type": "dot", "scheme": "offset-binary", "terms": 8,
    "tuning": {"guard": 17, "segment": 8}})",
      R"({"type": "dot", "scheme": "offset-binary", "terms": 4, "tuning": {"guard": 19}})",
      R"({"type": "dot", "scheme": "offset-binary", "terms": 4, "packed": {"bits": 27}})",
      R"({"type": "dot", "terms": 4, "packed": {"bits": 27}, "shared": {"bits": 19}})",
      R"({"type": "dot", "scheme": "weight-aware", "terms": 3, "shared": {"values": [[1, 2]]}})",
      R"({"type": "dot", "scheme": "weight-aware", "terms": 3})",
      R"({"type": "dot", "terms": 3, "shared": {"values": [[1, 2, 300]]}})",
      R"({"type": "dot", "scheme": "shared-drain", "terms": 3, "cycles": 4})",
      R"({"type": "dot", "scheme": "wp487-int8", "terms": 4, "cycles": 2})",
  };
  std::string all;
  for (const char* layer : cases) {
    const fs::path folder = KUMIKI_TEST_TMP "/cli_packing_refusals";
    fs::create_directories(folder);
    std::ofstream(folder / "cfg.json")
        << "{\"kumiki\": 1, \"name\": \"x\", \"layers\": [\n  " << layer << "]}";
    const auto r = kumiki("check '" + (folder / "cfg.json").string() + "'");
    EXPECT_EQ(r.status, 3) << layer << r.err;
    EXPECT_EQ(r.out, "") << layer;
    const auto name = r.err.find("cfg.json");
    ASSERT_NE(name, std::string::npos) << layer;
    all += std::string(layer) + "\n" + r.err.substr(name) + "\n";
  }
  test::expect_golden("cli/packing-refusals.txt", all);
}

}  // namespace
}  // namespace kumiki
