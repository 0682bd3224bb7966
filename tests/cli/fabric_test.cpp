// SPDX-License-Identifier: Apache-2.0
// Layers without DSP slices beside their naive form: in the report, on the page, in the bench.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/bench.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class NaiveForm : public InFolder {
 protected:
  // The report of a configuration with these layers.
  json report(const std::string& command, const std::string& layers,
              const std::string& family = "7series") {
    const auto r = kumiki(command + " " +
                          config(R"({"kumiki": 1, "name": "n", "target": {"family": ")" + family +
                                 R"("}, "layers": [)" + layers + "]}") +
                          " -o " + path("out"));
    EXPECT_EQ(r.status, 0) << r.err;
    return json::parse(text("out/report.json"));
  }
  std::string page() const { return text("out/report.html"); }
};

std::string cells(const json& fabric, const json& naive) {
  const auto cell = [](const std::string& text) {
    return fmt::format("<td class=\"n\">{}</td>", text);
  };
  const double part = 100 * fabric["luts"].get<double>() / naive["luts"].get<double>();
  return cell(fabric["luts"].dump()) + cell(naive["luts"].dump()) +
         cell(fmt::format("{:.0f} %", part)) + cell(fabric["carries"].dump()) +
         cell(naive["carries"].dump());
}

TEST_F(NaiveForm, OfAPopcountIsThatOfTheBench) {
  const json layer =
      report("synth", R"({"type": "popcount", "name": "ones", "bits": 16})")["layers"][0];
  const json row =
      kumiki_bench("compressor --heap 'popcount 16' --objective stages --json").json()[0];
  EXPECT_EQ(layer["naive"], (json{{"luts", row["naive_luts"]}, {"carries", row["naive_carries"]}}));
  EXPECT_EQ(layer["fabric"], (json{{"luts", row["luts"]}, {"carries", row["carries"]}}));
  EXPECT_GT(layer["naive"]["luts"], layer["fabric"]["luts"]);
  EXPECT_THAT(page(), HasSubstr("<a href=\"#fabric\">"));
  EXPECT_THAT(page(), HasSubstr("<tr><th scope=\"row\">ones</th>" +
                                cells(layer["fabric"], layer["naive"])));
  EXPECT_THAT(page(), Not(HasSubstr("kumiki synth")));
}

// Registers and what stands in front of them are no part of the comparison.
TEST_F(NaiveForm, IsThatOfAPipelineWithoutItsRegisters) {
  const json layers = report("synth", R"({"type": "popcount", "name": "a", "bits": 12},
      {"type": "popcount", "name": "b", "bits": 12, "pipeline": 1})")["layers"];
  EXPECT_EQ(layers[0]["naive"], layers[1]["naive"]);
}

TEST_F(NaiveForm, OrWhyThereIsNone) {
  const json layers = report("synth --time 1", R"(
      {"type": "vision", "name": "inverse", "width": 8, "height": 8, "bits": 1,
       "stages": [{"kernel": "not"}]},
      {"type": "dot", "name": "pair", "scheme": "wp487-int8", "terms": 2},
      {"type": "popcount", "name": "many", "bits": 1024})",
                             "ultrascale+")["layers"];
  EXPECT_THAT(layers[0]["naive"]["why"], HasSubstr("written for proofs"));
  EXPECT_THAT(layers[1]["naive"]["why"], HasSubstr("it has DSP slices"));
  EXPECT_EQ(layers[2]["naive"], (json{{"why", "Yosys takes longer than 1 seconds (--time)"}}));
  EXPECT_FALSE(layers[1].contains("fabric"));
  EXPECT_THAT(page(), HasSubstr("<li>inverse: "));
  EXPECT_THAT(page(), HasSubstr("<li>many: Yosys takes longer than 1 seconds (--time)</li>"));
  EXPECT_THAT(page(), Not(HasSubstr("<li>pair: ")));
}

TEST_F(NaiveForm, IsFilledInBySynth) {
  const std::string layer = R"({"type": "popcount", "name": "ones", "bits": 6})";
  for (const char* command : {"gen", "sim --with native", "synth --no-naive"}) {
    const json one = report(command, layer)["layers"][0];
    EXPECT_FALSE(one.contains("naive")) << command;
    EXPECT_GT(one["fabric"]["luts"], 0) << command;
    EXPECT_THAT(page(), HasSubstr("<pre class=\"command\">kumiki synth cfg.json</pre>"));
  }
}

}  // namespace
}  // namespace kumiki::test
