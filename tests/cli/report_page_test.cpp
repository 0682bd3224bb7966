// SPDX-License-Identifier: Apache-2.0
// report.html as the program writes it, and as a browser shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/support/image/image.h"
#include "backends/support/tool.h"
#include "tests/support/long_form.h"
#include "tests/support/program.h"
#include "tests/support/seed.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

fs::path folder(const std::string& name) { return fs::path(KUMIKI_TEST_TMP) / "page" / name; }

// The page of an example; `command` is "sim" or what stands for it.
std::string page_of(const std::string& command, const std::string& name) {
  const fs::path out = folder(name);
  fs::remove_all(out);
  const auto r = kumiki(command + " -o '" + out.string() + "'");
  EXPECT_EQ(r.status, 0) << r.err;
  return read_bytes(out / "report.html");
}

void expect_well_formed(const fs::path& page) {
  backends::run_tool({"xmllint", "libxml2-utils"},
                     {.arguments = {"--noout", "--nonet", page.string()}}, "read the page");
}

TEST(ReportPage, IsOneOfTheFilesEveryTimeTheSame) {
  const std::string page = page_of("gen quickstart.json", "gen");
  EXPECT_EQ(page, page_of("gen '../examples/quickstart.json'", "gen_again"));
  EXPECT_THAT(read_bytes(folder("gen") / "manifest.json"), HasSubstr("\"report.html\""));
  EXPECT_THAT(page, HasSubstr("Checked, not simulated"));
  EXPECT_THAT(page, HasSubstr("kumiki sim quickstart.json"));
  EXPECT_THAT(page, HasSubstr("low lane after 7 terms"));
  EXPECT_THAT(page, HasSubstr("alt=\"packing of pixels\""));
  EXPECT_THAT(page, Not(HasSubstr("../")));
  EXPECT_THAT(page, Not(HasSubstr(KUMIKI_TEST_TMP)));
  for (const char* example : {"quickstart", "edges", "compressor", "perceptron", "packing-64"}) {
    page_of(std::string("gen ") + example + ".json", example);
    expect_well_formed(folder(example) / "report.html");
  }
}

// The command on the page gives the same report.
TEST(ReportPage, TellsHowToRepeatARun) {
  const std::string page =
      page_of("sim quickstart.json --with native --seed 11 --cycles 700 --mutate 20", "sim");
  EXPECT_THAT(page, HasSubstr("<strong>Lockstep passed</strong>"));
  expect_well_formed(folder("sim") / "report.html");
  const auto report = nlohmann::json::parse(read_bytes(folder("sim") / "report.json"));
  const std::string command = report["mutations"]["command"];
  EXPECT_EQ(report["lockstep"][0]["command"],
            "kumiki sim quickstart.json --with native --seed 11 --cycles 700");
  EXPECT_EQ(command, "kumiki sim quickstart.json --with native --seed 11 --cycles 700 --mutate 20");
  EXPECT_THAT(page, HasSubstr(command));
  EXPECT_EQ(page, page_of(command.substr(sizeof "kumiki"), "sim_again"));
}

// The page shows the configuration as it was given; a pipe gives it once.
TEST(ReportPage, OfAConfigurationThroughAPipe) {
  const std::string page = page_of("gen /dev/stdin < quickstart.json", "pipe");
  EXPECT_THAT(page, HasSubstr("kumiki sim stdin"));
  EXPECT_THAT(page, HasSubstr("alt=\"packing of pixels\""));
  page_of("gen quickstart.json", "no_pipe");
  EXPECT_EQ(read_bytes(folder("pipe") / "quickstart.v"),
            read_bytes(folder("no_pipe") / "quickstart.v"));
}

TEST(ReportPage, FileNamesAreQuoted) {
  const fs::path odd = folder("odd");
  fs::create_directories(odd);
  fs::copy_file(fs::path(KUMIKI_TEST_DIR) / "../examples/quickstart.json", odd / "it's <b>.json",
                fs::copy_options::overwrite_existing);
  const std::string page = page_of("gen '" + odd.string() + "/it'\\''s <b>.json'", "odd_out");
  EXPECT_THAT(page, HasSubstr("kumiki sim &#39;it&#39;\\&#39;&#39;s &lt;b&gt;.json&#39;"));
  expect_well_formed(folder("odd_out") / "report.html");
}

TEST(ReportPage, TakesTextAndDeviceOfTheConfiguration) {
  const fs::path mine = folder("mine");
  fs::create_directories(mine);
  std::ofstream(mine / "a.json")
      << R"({"kumiki": 1, "name": "a", "description": "</p><script>x</script>",
    "target": {"part": "xczu9eg-ffvb1156-2-e"},
    "layers": [{"type": "popcount", "name": "ones", "bits": 6}]})";
  const std::string page = page_of("gen '" + (mine / "a.json").string() + "'", "mine_out");
  EXPECT_THAT(page, HasSubstr("&lt;/p&gt;&lt;script&gt;x"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"total\"><th scope=\"row\">zu9, as configured</th>"));
  EXPECT_LT(page.find("zu9, as configured"), page.find(">vu9p<"));
  expect_well_formed(folder("mine_out") / "report.html");
}

TEST(ReportPage, ShowsYosysCounts) {
  const std::string page = page_of("synth quickstart.json", "synth");
  EXPECT_THAT(page, HasSubstr("counted by Kumiki and by Yosys"));
  EXPECT_THAT(page, Not(HasSubstr(">NO<")));
}

class InBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"chromium-headless-shell", "chromium"})
      if (backends::find_program(name)) {
        browser_ = name;
        break;
      }
    if (browser_.empty())
      GTEST_SKIP() << "no chromium here: apt-get install chromium-headless-shell";
    profile_ = folder(std::string("profile_") +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(profile_);
  }

  // What it printed, its log with the page's console included.
  std::string open(const fs::path& page, std::vector<std::string> arguments) {
    std::vector<std::string> all{"--headless",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--disable-dev-shm-usage",
                                 "--hide-scrollbars",
                                 "--enable-logging=stderr",
                                 "--user-data-dir=" + profile_.string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.push_back("file://" + fs::absolute(page).string());
    return backends::run_tool({browser_, "chromium-headless-shell"},
                              {.arguments = all, .seconds = 120}, "show the page");
  }

  backends::Image shot(const fs::path& page, const std::string& name, const std::string& size,
                       const std::vector<std::string>& more = {}) {
    const fs::path file = folder(name + ".png");
    fs::remove(file);
    std::vector<std::string> arguments{"--window-size=" + size, "--screenshot=" + file.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(open(page, arguments), Not(HasSubstr("CONSOLE"))) << name;
    return backends::read_image(file);
  }

  std::string browser_;
  fs::path profile_;
};

double brightness(const backends::Image& image) {
  double sum = 0;
  for (const auto s : image.samples) sum += s;
  return sum / static_cast<double>(image.samples.size());
}

// Its width when the window is 400 wide: a script tells, which the page itself forbids.
std::string with_script(std::string page) {
  const auto policy = page.find("<meta http-equiv"), end = page.find('\n', policy);
  page.erase(policy, end - policy);
  page.insert(
      page.rfind("</body>"),
      "<script>document.body.id = 'width-' + document.documentElement.scrollWidth;</script>");
  return page;
}

TEST_F(InBrowser, ReadsWellInLightAndDarkNarrowAndOnPaper) {
  std::vector<std::string> examples{"quickstart", "edges"};
  if (long_form()) examples.insert(examples.end(), {"compressor", "perceptron"});
  for (const auto& example : examples) {
    SCOPED_TRACE(example);
    const std::string name = example;
    const std::string page = page_of("gen " + name + ".json", name + "_browser");
    const fs::path file = folder(name + "_browser") / "report.html";
    const auto light = shot(file, name + "_light", "1280,3000");
    const auto dark =
        shot(file, name + "_dark", "1280,3000", {"--blink-settings=preferredColorScheme=0"});
    EXPECT_EQ(light.width, 1280);
    EXPECT_GT(brightness(light), 225);
    EXPECT_LT(brightness(light), 254);  // it is not empty
    EXPECT_LT(brightness(dark), brightness(light) - 40);
    EXPECT_EQ(shot(file, name + "_narrow", "400,3000").width, 400);
    const fs::path probe = folder(name + "_probe.html");
    std::ofstream(probe, std::ios::binary) << with_script(page);
    EXPECT_THAT(open(probe, {"--window-size=400,800", "--dump-dom"}),
                HasSubstr("id=\"width-400\""));
    const fs::path pdf = folder(name + ".pdf");
    fs::remove(pdf);
    EXPECT_THAT(open(file, {"--print-to-pdf=" + pdf.string()}), Not(HasSubstr("CONSOLE")));
    EXPECT_EQ(read_bytes(pdf).substr(0, 5), "%PDF-");
  }
}

// A network as a picture, as wide as there is room.
TEST_F(InBrowser, ShowsANetworkInLightAndDark) {
  const fs::path picture = folder("network.svg"), page = folder("network.html");
  const auto r = kumiki("show models/fashion_residual.onnx --force -o '" + picture.string() + "'");
  ASSERT_EQ(r.status, 0) << r.err;
  std::ofstream(page) << "<!doctype html><meta name=\"color-scheme\" content=\"light dark\">"
                         "<body style=\"margin:0\"><img src=\"network.svg\" "
                         "style=\"max-width:100%\"><script>onload = () => document.body.id = "
                         "'width-' + document.documentElement.scrollWidth</script>";
  for (const std::string width : {"400", "1600"}) {
    SCOPED_TRACE(width);
    const auto light = shot(page, "network_light_" + width, width + ",2400");
    const auto dark = shot(page, "network_dark_" + width, width + ",2400",
                           {"--blink-settings=preferredColorScheme=0"});
    EXPECT_LT(brightness(light), 254);  // it is not empty
    EXPECT_LT(brightness(dark), brightness(light) - 100);
    EXPECT_THAT(open(page, {"--window-size=" + width + ",800", "--dump-dom"}),
                HasSubstr("id=\"width-" + width + "\""));
  }
}

// The test above it can fail: whatever a page would fetch or run shows on the console.
TEST_F(InBrowser, ForbidsScriptsAndTheNetwork) {
  const std::string page = page_of("gen quickstart.json", "forbidden");
  for (const std::string intruder : {"<script>document.title = 'ran';</script>",
                                     "<img src=\"http://kumiki.invalid/a.png\" alt=\"\"/>"}) {
    std::string changed = page;
    changed.insert(changed.find("</main>"), intruder);
    const fs::path file = folder("intruder.html");
    std::ofstream(file, std::ios::binary) << changed;
    const std::string said = open(file, {"--dump-dom"});
    EXPECT_THAT(said, HasSubstr("CONSOLE")) << intruder;
    EXPECT_THAT(said, HasSubstr("Content Security Policy")) << intruder;
    EXPECT_THAT(said, Not(HasSubstr("<title>ran</title>")));
  }
}

}  // namespace
}  // namespace kumiki::test
