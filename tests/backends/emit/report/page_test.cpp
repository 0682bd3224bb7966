// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backends/emit/report/html.h"
#include "backends/support/tool.h"
#include "tests/support/golden.h"

namespace kumiki::tests {
namespace report_page_test {

using backends::Json;
using backends::Page;
using backends::report_page;
using ::testing::HasSubstr;
using ::testing::Not;
namespace html = backends::html;

constexpr const char* square =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\" viewBox=\"0 0 9 9\">\n"
    "<rect width=\"9\" height=\"9\" fill=\"#ffffff\"/>\n</svg>\n";

// A page with everything on it; `name` stands wherever a name from outside does.
Page small(const std::string& name, bool passed = true) {
  const Json cost{{"luts", 12}, {"lut_memory", 3}, {"ffs", 1234}, {"carry_bits", 8},
                  {"muxf", 0},  {"dsps", 7},       {"bram18", 0}};
  Json total = cost, module = Json{{"module", name}, {"places", 2}};
  total["dense_slices"] = 78;
  module.update(cost);
  const Json proof{{"what", "low lane of " + name},
                   {"value", {-5, 6}},
                   {"relation", "within"},
                   {"legal", {-8, 7}},
                   {"holds", true}};
  const Json slices{{"what", "slices"},
                    {"value", {7, 7}},
                    {"relation", "at most"},
                    {"legal", {96, 96}},
                    {"holds", false}};
  Json run{{"simulator", "native"},
           {"passed", passed},
           {"seed", 7},
           {"cycles", 5000},
           {"comparisons", 16471},
           {"stalls", 1},
           {"resets", 2},
           {"corner_cycles", 3},
           {"random_cycles", 4},
           {"output_bits", 36},
           {"moving_output_bits", 35},
           {"mismatches", Json::array()},
           {"command", "kumiki sim '" + name + "'"}};
  if (!passed) run["mismatches"].push_back("cycle 12, port " + name + ": 1 instead of 0");
  const Json layer{{"name", name},
                   {"type", "dot"},
                   {"module", name},
                   {"pictures", {"a.svg"}},
                   {"plan",
                    {{"scheme", name},
                     {"slices", 7},
                     {"macs", 14000},
                     {"latency", 11},
                     {"mac_per_slice_value", 1.9375},
                     {"lut_free", true},
                     {"column", {{"proofs", {proof, slices}}}}}}};
  std::vector<int> weights(1000, -3);
  return {
      .generator = "kumiki 1.2.3",
      .config = name,
      .command = "kumiki sim " + name,
      .synthesis = "kumiki synth " + name,
      .description = "Of " + name,
      .settings = {{"target", {{"family", name}}}},
      .report =
          {{"report", 1},
           {"name", name},
           {"family", "ultrascale+"},
           {"layers", {layer}},
           {"resources",
            {{"total", total}, {"cells", {{"LUT6", 12}, {"FDRE", 1234}}}, {"modules", {module}}}},
           {"depth",
            {{"levels", 2},
             {"luts", 1},
             {"carries", 1},
             {"others", 0},
             {"path", {name + "/LUT6 (gen/a.cpp:1)"}}}},
           {"clock",
            {{"grade", 2},
             {"period_ns", 2.5},
             {"mhz", 400.0},
             {"limits", {{{"what", name}, {"mhz", 667}, {"cells", 1}}}},
             {"paths",
              {{{"period_ns", 2.5},
                {"levels", 1},
                {"luts", 1},
                {"carries", 0},
                {"others", 0},
                {"cells",
                 {{{"cell", name},
                   {"primitive", "LUT6"},
                   {"place", "gen/a.cpp:1"},
                   {"fan_out", 3},
                   {"wire_ns", 0.0},
                   {"cell_ns", 0.1},
                   {"at_ns", 0.1}}}},
                {"end",
                 {{"pin", name},
                  {"primitive", "port"},
                  {"place", ""},
                  {"wire_ns", 0.2},
                  {"setup_ns", 0.0}}}}}}}},
           {"lockstep", {run}},
           {"mutations",
            {{"tried", 20},
             {"caught_by_check", 3},
             {"caught_by_lockstep", 15},
             {"caught_fraction", 18.0 / 19},
             {"missed", {name}},
             {"no_difference_found", {name}},
             {"command", name}}},
           {"yosys",
            {{"version", name}, {"cells", {{"LUT6", 12}, {"FDRE", 1234}}}, {"agrees", true}}}},
      .layers =
          {{.given = {{"type", "dot"}, {"name", name}, {"weights", weights}, {name, {{"a", name}}}},
            .effective = {{"type", "dot"}, {"stages", {{{"kernel", name}}, {{"kernel", "box"}}}}},
            .plan = "scheme " + name + "\n  1 < 2\n",
            .ports = {{name, false, 112, "14 x S8"}, {"sum", true, 36, "2 x S18"}},
            .pictures = {{name, square}},
            .throughput = {.products = 14,
                           .slices = 7,
                           .frame_cycles = 100,
                           .frame_bits_in = 6400,
                           .frame_bits_out = 850}}},
      .devices = {{name,
                   "series",
                   {{"DSP", 7, 100, true},
                    {"LUT", 9, 6, true},
                    {"BRAM18", 1, 0, true},
                    {"LUTMEM", 3, 0, false},
                    {name, 0, 0, true}},
                   name}}};
}

std::string xmllint(const std::string& page, const std::string& file, const std::string& xpath) {
  const auto path = std::filesystem::path(KUMIKI_TEST_TMP) / file;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << page;
  std::vector<std::string> arguments{"--nonet", "--noout", path.string()};
  if (!xpath.empty()) arguments = {"--nonet", "--xpath", xpath, path.string()};
  return backends::run_tool({"xmllint", "libxml2-utils"}, {.arguments = arguments},
                            "read the page");
}

TEST(Page, IsTheSameBytes) {
  const std::string page = report_page(small("first"));
  test::expect_golden("report/small.html", page);
  EXPECT_EQ(page, report_page(small("first")));
  xmllint(page, "page_small.html", "");
}

TEST(Page, SaysFirstWhatFailed) {
  const std::string good = report_page(small("first"));
  Page caught = small("first");
  caught.report["mutations"]["caught_fraction"] = 0.95;
  EXPECT_THAT(good, HasSubstr("<title>FAILED: first</title>"));  // 18 of 19 mutations are too few
  EXPECT_THAT(report_page(caught), HasSubstr("<title>first</title>"));
  EXPECT_THAT(report_page(caught), Not(HasSubstr("role=\"alert\"")));

  Page bad = small("first", false);
  const std::string page = report_page(bad);
  EXPECT_THAT(page, HasSubstr("<title>FAILED: first</title>"));
  const auto said = page.find("<strong>Lockstep failed</strong>");
  ASSERT_NE(said, std::string::npos);
  EXPECT_LT(said, page.find("cycle 12, port first: 1 instead of 0"));
  EXPECT_LT(page.find("cycle 12, port first: 1 instead of 0"), page.find("<nav"));
  EXPECT_LT(page.find("kumiki sim &#39;first&#39;"), page.find("<nav"));
  EXPECT_THAT(page, Not(HasSubstr("Lockstep passed")));

  caught.report["yosys"]["agrees"] = false;
  EXPECT_THAT(report_page(caught), HasSubstr("The counts differ"));
  caught.report.erase("yosys");
  caught.report.erase("lockstep");
  EXPECT_THAT(report_page(caught), HasSubstr("Checked, not simulated"));
}

// Layers without DSP slices beside their naive form, as far as there is one.
TEST(Page, ComparesWithTheNaiveForm) {
  EXPECT_THAT(report_page(small("first")), Not(HasSubstr("Without DSP slices")));
  Page page = small("first");
  const auto add = [&](const std::string& name, const Json& fabric, const Json& naive) {
    page.report["layers"].push_back(page.report["layers"][0]);
    page.layers.push_back(page.layers[0]);
    Json& layer = page.report["layers"].back();
    layer["name"] = name;
    layer["fabric"] = fabric;
    if (!naive.is_null()) layer["naive"] = naive;
  };
  const auto cell = [](const std::string& text) { return "<td class=\"n\">" + text + "</td>"; };
  add("tree", {{"luts", 1000}, {"carries", 16}}, {{"luts", 4000}, {"carries", 24}});
  add("wires", {{"luts", 0}, {"carries", 0}}, {{"luts", 0}, {"carries", 0}});
  add("odd", {{"luts", 5}, {"carries", 4}}, {{"why", "it has <none>"}});
  const std::string known = report_page(page);
  EXPECT_THAT(known, HasSubstr("tree</th>" + cell("1,000") + cell("4,000") + cell("25 %") +
                               cell("16") + cell("24")));
  EXPECT_THAT(known,
              HasSubstr("wires</th>" + cell("0") + cell("0") + cell("–") + cell("0") + cell("0")));
  EXPECT_THAT(known,
              HasSubstr("odd</th>" + cell("5") + cell("–") + cell("–") + cell("4") + cell("–")));
  EXPECT_THAT(known, HasSubstr("together</th>" + cell("1,000") + cell("4,000")));
  EXPECT_THAT(known, HasSubstr("<li>odd: it has &lt;none&gt;</li>"));
  EXPECT_THAT(known, Not(HasSubstr("kumiki synth")));
  xmllint(known, "page_fabric.html", "");

  add("open", {{"luts", 5}, {"carries", 4}}, Json());
  EXPECT_THAT(report_page(page), HasSubstr("<pre class=\"command\">kumiki synth first</pre>"));
}

// Names that would be markup, marks of the template, or no characters at all.
TEST(Page, TextStaysText) {
  for (const std::string& name :
       {std::string("</title></style><script>alert(1)</script>"),
        std::string("\" onload='x()' &amp;"), std::string("]]> @BODY@ @STYLE@ @TITLE@"),
        std::string("<!-- é ✓ 組木 𝒳 -->")}) {
    const std::string page = report_page(small(name, false));
    EXPECT_THAT(page, Not(HasSubstr(name))) << "somewhere it is not escaped";
    EXPECT_EQ(xmllint(page, "page_hostile.html", "string(//*[local-name()='h1'])"), name + "\n");
    EXPECT_EQ(xmllint(page, "page_hostile.html", "count(//*[local-name()='script'])"), "0\n");
    EXPECT_EQ(xmllint(page, "page_hostile.html", "count(//@onload)"), "0\n");
    EXPECT_EQ(xmllint(page, "page_hostile.html", "count(//*[local-name()='main'])"), "1\n");
  }
  const std::string broken("a\0\x01\x7F\x80\xFF\xC0\xAF\xED\xA0\x80\xEF\xBF\xBF\xC2z\xF0\x9F", 19);
  xmllint(report_page(small(broken, false)), "page_broken.html", "");
}

TEST(Html, EscapesWhatXmlCannotHold) {
  EXPECT_EQ(html::escaped("a<b>&\"'@\t\n"), "a&lt;b&gt;&amp;&quot;&#39;&#64;\t\n");
  EXPECT_EQ(html::escaped("é✓𝒳"), "é✓𝒳");
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(html::escaped(std::string_view("a\0b\rc", 5)), "a" + r + "b" + r + "c");
  EXPECT_EQ(html::escaped("\x80z"), r + "z");                   // no beginning
  EXPECT_EQ(html::escaped("\xC0\xAF"), r + r);                  // overlong '/'
  EXPECT_EQ(html::escaped("\xE0\x80\x80"), r + r + r);          // overlong
  EXPECT_EQ(html::escaped("\xED\xA0\x80"), r);                  // a surrogate
  EXPECT_EQ(html::escaped("\xEF\xBF\xBF"), r);                  // no character
  EXPECT_EQ(html::escaped("\xF4\x90\x80\x80"), r + r + r + r);  // beyond the last
  EXPECT_EQ(html::escaped("\xE2\x9C"), r + r);                  // no end
}

TEST(Html, GroupsDigits) {
  EXPECT_EQ(html::grouped(0), "0");
  EXPECT_EQ(html::grouped(999), "999");
  EXPECT_EQ(html::grouped(1000), "1,000");
  EXPECT_EQ(html::grouped(1234567), "1,234,567");
}

TEST(Html, PicturesHaveTitlesAndKeepToThemselves) {
  const std::string in = html::picture(std::string("<?xml version=\"1.0\"?>\n") + square, "a <b>");
  EXPECT_THAT(in, ::testing::StartsWith("<svg xmlns"));
  EXPECT_THAT(in, HasSubstr("role=\"img\" aria-label=\"a &lt;b&gt;\"><title>a &lt;b&gt;</title>"));
  for (const char* part : {"<style>text{fill:red}</style>", "<g id=\"a\"/>", "<g class=\"a\"/>",
                           "<script>1</script>", "<image href=\"x\"/>"}) {
    std::string svg = square;
    svg.insert(svg.find("<rect"), part);
    const std::string out = html::picture(svg, "a");
    EXPECT_THAT(out, ::testing::StartsWith("<img alt=\"a\" src=\"data:image/svg+xml,%3Csvg"))
        << part;
    EXPECT_EQ(out.find('<', 1), std::string::npos) << part;
  }
}

// Lockstep alone is not all: a network whose results are wrong is a failure on the page's first
// line.
TEST(Page, ANetworkThatFailedStandsAtTheTop) {
  Page page = small("n");
  page.report.erase("mutations");
  page.report.erase("yosys");
  page.layers[0].effective = {{"clock_mhz", 250}};
  page.report["layers"][0]["plan"].update({{"operand_bits", 8},
                                           {"data_bits", 8},
                                           {"network",
                                            {{{"name", "conv1"},
                                              {"formula_cycles", 90},
                                              {"steps", 100},
                                              {"predicted_clocks", 107},
                                              {"bound_by", "steps"},
                                              {"individual_words", 50},
                                              {"common_words", 150},
                                              {"output_words", 25}}}}});
  Json run{{"array", "n"},
           {"simulator", "native"},
           {"passed", true},
           {"clocks", 300},
           {"stalls_of_256", 0},
           {"layers",
            {{{"name", "conv1"},
              {"measured_clocks", 200},
              {"individual_words", 50},
              {"common_words", 150},
              {"output_words", 25}}}}};
  page.report["networks"] = Json::array({run});
  const std::string good = report_page(page);
  EXPECT_THAT(
      good,
      HasSubstr("<strong>The network is right</strong> on n under native: 1 layer in 300 clocks"));
  // In a picture that brings style rules, so as an image: < and > are escaped.
  EXPECT_THAT(good, HasSubstr("Gbit/s in, at 250 MHz%3C/text%3E"));
  EXPECT_THAT(good, HasSubstr("%3E2%3C/text%3E"));     // 200 words of 8 bits in 200 clocks of 4 ns
  EXPECT_THAT(good, HasSubstr("%3E0.25%3C/text%3E"));  // 25 words out
  run["passed"] = false;
  run["difference"] = "conv1: 3 instead of 4";
  page.report["networks"] = Json::array({run});
  const std::string bad = report_page(page);
  EXPECT_THAT(bad, HasSubstr("role=\"alert\""));
  EXPECT_THAT(bad, HasSubstr("conv1: 3 instead of 4"));
  EXPECT_THAT(bad, HasSubstr("<title>FAILED: "));
}

}  // namespace report_page_test
}  // namespace kumiki::tests
