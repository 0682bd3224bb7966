// SPDX-License-Identifier: Apache-2.0
// What the pages show is what the program does: every command is run, figures are those that it
// prints, code compiles because it stands in a program that does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "backends/support/process.h"
#include "tests/cli/bench.h"
#include "tests/support/long_form.h"
#include "tests/support/program.h"
#include "tests/support/seed.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = fs::path(KUMIKI_TEST_DIR).parent_path();

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string stripped(const std::string& text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

struct Fence {
  std::string language;
  std::vector<std::string> lines;
};

struct Document {
  std::vector<Fence> fences;
  std::vector<std::string> spans;  // `code` in the text
};

Document parse(const std::string& text) {
  static const std::regex span("`([^`]+)`");
  Document d;
  bool inside = false;
  for (const auto& line : lines_of(text)) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) d.fences.push_back({line.substr(3), {}});
    } else if (inside) {
      d.fences.back().lines.push_back(line);
    } else {
      for (std::sregex_iterator i(line.begin(), line.end(), span), end; i != end; ++i)
        d.spans.push_back((*i)[1]);
    }
  }
  return d;
}

std::map<std::string, Document> documents() {
  std::map<std::string, Document> all;
  for (auto i = fs::recursive_directory_iterator(root); i != fs::recursive_directory_iterator();
       ++i) {
    const auto name = i->path().filename().string();
    if (i->is_directory() && (name.starts_with(".") || name == "build" || name == "out"))
      i.disable_recursion_pending();
    else if (i->path().extension() == ".md")
      all[fs::relative(i->path(), root).string()] = parse(read_bytes(i->path().string()));
  }
  return all;
}

// Without the prompt and without a remark behind it.
std::string command_of(std::string line) {
  if (line.starts_with("$ ")) line = line.substr(2);
  static const std::regex command(
      "(kumiki|kumiki-bench|cmake|ctest|cpack|iverilog|fusesoc|tests/\\S+|build/\\S+|\\./\\w+)( "
      ".*)?");
  if (!std::regex_match(line, command)) return {};
  return stripped(line.substr(0, line.find(" # ")));
}

// First line of a block, all its commands.
std::map<std::string, std::string> shown_commands() {
  std::map<std::string, std::string> all;
  for (const auto& [file, document] : documents()) {
    for (const Fence& fence : document.fences) {
      if (fence.language == "text") continue;  // what is printed
      const bool prompt = !fence.lines.empty() && fence.lines.front().starts_with("$ ");
      std::string first, text;
      for (const auto& line : fence.lines) {
        if (prompt && !line.starts_with("$ ")) continue;
        const auto command = command_of(line);
        if (command.empty()) continue;
        if (first.empty()) first = command;
        text += command + "\n";
      }
      if (!first.empty()) all[first] = text;
    }
    // In the text a program's name alone is no command.
    for (const auto& span : document.spans)
      if (const auto command = command_of(span); command.find(' ') != std::string::npos)
        all.try_emplace(command, command + "\n");
  }
  return all;
}

std::map<std::string, std::string> table() {
  std::map<std::string, std::string> all;
  for (const auto& line : lines_of(read_bytes(KUMIKI_TEST_DIR "/cli/commands.txt"))) {
    const auto bar = line.find('|');
    if (line.starts_with("#") || bar == std::string::npos) continue;
    all[stripped(line.substr(0, bar))] = stripped(line.substr(bar + 1));
  }
  return all;
}

TEST(Readme, EveryCommandIsInTheTableOfTheTest) {
  const auto known = table();
  const auto shown = shown_commands();
  EXPECT_GT(shown.size(), 30u);
  for (const auto& [command, text] : shown)
    EXPECT_TRUE(known.contains(command))
        << "tests/cli/commands.txt does not say how to test: " << command;
  for (const auto& [command, how] : known)
    EXPECT_TRUE(shown.contains(command)) << "no page shows it any more: " << command;
}

TEST(Readme, EveryCommandThatIsNotSlowRuns) {
  const fs::path folder = fs::path(KUMIKI_TEST_TMP) / "readme";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::create_directory_symlink(root / "examples", folder / "examples");
  const auto path = fs::path(KUMIKI_PROGRAM).parent_path().string() + ":" + std::getenv("PATH");
  const auto known = table();
  unsigned run = 0, place = 0;
  for (const auto& [command, text] : shown_commands()) {
    const auto how = known.find(command);
    if (how == known.end() || how->second.starts_with("slow:")) continue;
    if (!long_form() && place++ % 6 != 0) continue;  // a sixth of them, over all pages
    const std::string& script = how->second.empty() ? text : how->second;
    const auto result = backends::run_process(
        {"env", "PATH=" + path, "bash", "-euo", "pipefail", "-c", script}, folder);
    EXPECT_EQ(result.status, 0) << script << "\n" << result.output;
    ++run;
  }
  EXPECT_GT(run, 15u);
}

// Every row that the command prints stands in the page, to the character.
void expect_rows(const std::string& arguments, std::size_t rows,
                 const std::string& file = "docs/figures.md") {
  const auto page = read_bytes((root / file).string());
  const auto r = kumiki_bench(arguments);
  EXPECT_EQ(r.status, 0) << r.err;
  std::size_t found = 0;
  for (const auto& line : lines_of(r.out)) {
    EXPECT_NE(page.find("\n" + line + "\n"), std::string::npos)
        << "kumiki-bench " << arguments << " prints what " << file << " does not have:\n"
        << line;
    ++found;
  }
  EXPECT_GE(found, rows + 1) << r.out;
}

TEST(ReadmeFigures, OfPacking) {
  if (long_form())
    expect_rows("packing --terms 64 256", 40);
  else
    expect_rows("packing --terms 64", 20);
  expect_rows("packing --terms 64 --family 7series", 20);
}
TEST(ReadmeFigures, OfConvolutions) {
  if (long_form()) return expect_rows("conv2d", 7);
  for (const char* row : this_time<const char*>(
           {"3x3, 64 to 64", "1x1", "input sharing", "loaded", "odd sizes", "S4"}, 3))
    expect_rows(std::string("conv2d --row '") + row + "'", 1);
}
TEST(Readme, EnginesOf256SlicesTakeLessThan6LutAMac) {
  const auto figures = parse(read_bytes((root / "docs/figures.md").string()));
  int large = 0;
  for (const Fence& fence : figures.fences) {
    if (fence.lines.empty() || !fence.lines.front().starts_with("engine ")) continue;
    for (std::size_t i = 1; i < fence.lines.size(); ++i) {
      std::istringstream row(fence.lines[i]);
      const std::vector<std::string> words{std::istream_iterator<std::string>(row), {}};
      ASSERT_GE(words.size(), 10u);
      const auto from_the_right = [&](std::size_t n) { return std::stod(words[words.size() - n]); };
      const double slices = from_the_right(10), mac_per_slice = from_the_right(5),
                   sustained = from_the_right(4), lut_per_mac = from_the_right(3);
      EXPECT_LT(lut_per_mac, 6) << fence.lines[i];
      EXPECT_LE(sustained, mac_per_slice) << fence.lines[i];
      large += slices >= 256 ? 1 : 0;
    }
  }
  EXPECT_GE(large, 5);
}
// Lowering YOLOv3 takes most of the time; a row alone has columns of other widths.
TEST(ReadmeFigures, OfTheEngine) {
  expect_rows("engine --layers --network ResNet-18", 23);
  expect_rows("engine --netlist --uram", 2);
  if (!long_form()) return;
  expect_rows("engine", 5);
  expect_rows("engine --rows 16 --columns 8 --places 32768 --bus 16", 5);
}
TEST(ReadmeFigures, OfVision) { expect_rows("vision", 16); }
TEST(ReadmeFigures, OfPlacedDesigns) {
  expect_rows("placed " + (root / "tests/vectors/placed").string(), 40, "docs/placed.md");
}
// Minutes of trees; a row alone has columns of other widths.
TEST(ReadmeFigures, OfDenseNeurons) {
  expect_rows("dense --effort 0", 5, "gen/layers/neuron/README.md");
}

TEST(Readme, TheRefusalIsWhatTheProgramSays) {
  const auto folder = fs::path(KUMIKI_TEST_TMP) / "readme_refusal";
  fs::create_directories(folder);
  std::ofstream(folder / "cfg.json")
      << "{\"kumiki\": 1, \"name\": \"n\", \"layers\": [\n"
         "  {\"type\": \"dot\", \"terms\": 8, \"scheme\": \"wp487-int8\"},\n"
         "  {\"type\": \"dott\"}]}\n";
  const auto r = backends::run_process({KUMIKI_PROGRAM, "check", "cfg.json"}, folder);
  EXPECT_EQ(r.status, 3);
  const auto said = lines_of(r.output);
  bool found = false;
  const auto readme = parse(read_bytes((root / "README.md").string()));
  for (const Fence& fence : readme.fences) {
    if (fence.lines.empty() || fence.lines.front() != "$ kumiki check cfg.json") continue;
    found = true;
    ASSERT_EQ(fence.lines.size(), said.size() + 1);
    // The README leaves out a part of a long line.
    for (std::size_t i = 0; i < said.size(); ++i) {
      const auto& line = fence.lines[i + 1];
      const auto gap = line.find("…");
      EXPECT_TRUE(said[i].starts_with(line.substr(0, gap))) << said[i] << "\n" << line;
      if (gap == std::string::npos)
        EXPECT_EQ(said[i], line);
      else
        EXPECT_TRUE(said[i].ends_with(line.substr(gap + std::string("…").size()))) << said[i];
    }
  }
  EXPECT_TRUE(found);
}

// Lines of a fence, as they stand in the program, one behind the other.
TEST(Readme, TheCodeOfTheTutorialIsThatOfTheProgram) {
  const auto folder = root / "examples/moving_average";
  const auto program = read_bytes((folder / "main.cpp").string());
  unsigned pieces = 0;
  const auto tutorial = parse(read_bytes((folder / "README.md").string()));
  for (const Fence& fence : tutorial.fences) {
    if (fence.language != "cpp") continue;
    std::string text;
    for (const auto& line : fence.lines) text += line + "\n";
    EXPECT_NE(program.find("\n" + text), std::string::npos) << text;
    ++pieces;
  }
  EXPECT_EQ(pieces, 5u);
}

}  // namespace
}  // namespace kumiki::test
