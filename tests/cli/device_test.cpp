// SPDX-License-Identifier: Apache-2.0
// plan --device, list --devices, bench devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/bench.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace device_test {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

std::string config(const std::string& text) {
  const fs::path folder = empty_folder();
  std::ofstream(folder / "cfg.json") << text;
  return "'" + (folder / "cfg.json").string() + "'";
}

TEST(CliDevice, ADesignThatFitsIsCountedAgainstTheDevice) {
  const auto text = kumiki("plan conv-3x3.json --device zu3");
  EXPECT_EQ(text.status, 0) << text.err;
  expect_golden("cli/plan-device.txt", text.out);
  const auto r = kumiki("plan conv-3x3.json --device xczu3eg --clock 500 --json");
  const json all = json::parse(r.out);
  EXPECT_EQ(all["device"], "zu3");
  EXPECT_EQ(all["fits"], true);
  EXPECT_EQ(all["copies"], 1);
  EXPECT_EQ(all["limit"], "DSP");
  EXPECT_EQ(all["macs_per_cycle"], 512);
  EXPECT_EQ(all["projected_gops"], 512);
  EXPECT_EQ(all["clock_source"], "--clock");
  EXPECT_EQ(all["resources"]["DSP"]["available"], 360);
}

// Figures are those of the report of the same netlist.
TEST(CliDevice, CountsWhatGenCounts) {
  const std::string out = std::string(KUMIKI_TEST_TMP) + "/device_gen";
  const json report = json::parse(kumiki("gen quickstart.json --json -o '" + out + "'").out);
  const json plan = json::parse(kumiki("plan quickstart.json --device zu9 --json").out);
  const auto& total = report["resources"]["total"];
  const auto& used = plan["resources"];
  EXPECT_EQ(used["DSP"]["used"], total["dsps"]);
  EXPECT_EQ(used["LUT"]["used"].get<int>(),
            total["luts"].get<int>() + total["lut_memory"].get<int>());
  EXPECT_EQ(used["FF"]["used"], total["ffs"]);
  EXPECT_EQ(used["CARRY"]["used"], total["carry_bits"]);
  int layers = 0;
  for (const auto& l : plan["layers"]) layers += l["resources"]["DSP"]["used"].get<int>();
  EXPECT_EQ(layers, total["dsps"].get<int>());
}

TEST(CliDevice, ADesignThatDoesNotFitIsExitCode1) {
  const std::string cfg = config(R"({"kumiki": 1, "name": "big", "layers": [
    {"type": "dot", "terms": 400, "scheme": "single"}]})");
  const auto small = kumiki("plan --device zu3 " + cfg);
  EXPECT_EQ(small.status, 1);
  EXPECT_THAT(small.out, HasSubstr("does not fit"));
  EXPECT_THAT(small.out, HasSubstr("NO"));
  const auto as_json = kumiki("plan --json --device zu3 " + cfg);
  EXPECT_EQ(as_json.status, 1);
  const json all = json::parse(as_json.out);
  EXPECT_EQ(all["fits"], false);
  EXPECT_EQ(all["copies"], 0);
  EXPECT_EQ(all["resources"]["DSP"]["fits"], false);
  EXPECT_EQ(all["resources"]["FF"]["fits"], true);
  EXPECT_EQ(kumiki("plan --device zu9 " + cfg).status, 0);
}

TEST(CliDevice, WhatTheSlicesOfAnotherKindDoNotHoldIsRefused) {
  const auto r = kumiki("plan quickstart.json --device 7k325t");
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err,
              HasSubstr("\"wp487-int8\" is refused: low lane after 4 terms is [-65024, 65536], "
                        "outside [-32768, 32767]"));
  const auto luts = kumiki("plan --device 7k325t --json " + config(R"({"kumiki": 1, "name": "x",
    "layers": [{"type": "popcount", "bits": 9}]})"));
  EXPECT_EQ(luts.json()["family"], "7series");
  EXPECT_TRUE(json::parse(luts.out)["projected_gops"].is_null());
}

// The device's family and its columns are what is built for.
TEST(CliDevice, TheDeviceDecidesFamilyAndColumns) {
  EXPECT_EQ(json::parse(kumiki("plan quickstart.json --device ku115 --json").out)["family"],
            "ultrascale");
  const std::string cfg = config(R"({"kumiki": 1, "name": "many",
    "target": {"family": "7series", "column_height": 20},
    "layers": [{"type": "popcount", "bits": 9}]})");
  EXPECT_EQ(json::parse(kumiki("plan --device vu9p --json " + cfg).out)["family"], "ultrascale+");
  const std::string chain = R"("layers": [{"type": "dot", "terms": 100, "scheme": "single"}]})";
  auto latency = [](const std::string& device, const std::string& text) {
    const auto r = kumiki("plan --json --device " + device + " " + config(text));
    return r.json()["resources"]["FF"]["used"].get<int>();
  };
  // 100 slices pass a column of zu9 (168), not of zu3 (72): there a cascade is taken up again.
  const std::string plain = R"({"kumiki": 1, "name": "c", )" + chain;
  EXPECT_LT(latency("zu9", plain), latency("zu3", plain));
  // A shorter column that was asked for stays.
  EXPECT_LT(
      latency("zu9", plain),
      latency("zu9", R"({"kumiki": 1, "name": "c", "target": {"column_height": 72}, )" + chain));
}

TEST(CliDevice, WrongUsage) {
  auto refused = [](const std::string& arguments, const std::string& why) {
    const auto r = kumiki(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_THAT(r.err, HasSubstr(why)) << arguments;
  };
  refused("plan quickstart.json --device ku15", "did you mean \"ku115\"?");
  refused("plan quickstart.json --device arria10-sx480", "for comparisons only");
  refused("plan quickstart.json --device zu9 --all", "excludes");
  refused("plan quickstart.json --clock 300", "--clock needs --device or --front");
  refused("plan quickstart.json --device zu9 --clock 0", "a number from 1 to 2000");
}

TEST(CliDevice, TheTableAndThePeaks) {
  const auto list = kumiki("list --devices");
  EXPECT_EQ(list.status, 0);
  expect_golden("cli/list-devices.txt", list.out);
  EXPECT_EQ(json::parse(kumiki("list --devices --json").out)[9]["dsps"], 5520);
  const auto bench = kumiki_bench("devices");
  EXPECT_EQ(bench.status, 0);
  expect_golden("cli/bench-devices.txt", bench.out);
  const json one = json::parse(kumiki_bench("devices --clock 500 --json").out);
  for (const auto& pair : one["comparisons"]) {
    EXPECT_DOUBLE_EQ(pair["times_per_multiplier_and_clock"], 1.75);
    EXPECT_DOUBLE_EQ(pair["times_at_own_clocks"], pair["times_per_clock"].get<double>());
  }
  EXPECT_EQ(one["comparisons"].size(), 30u);
  EXPECT_EQ(one["devices"][11]["peak_int8_gops"], 21504);  // vu13p: 12288 x 1.75 x 2 x 0.5
}

}  // namespace device_test
}  // namespace kumiki::test
