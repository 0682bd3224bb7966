// SPDX-License-Identifier: Apache-2.0
// The layout of ports wherever it is told: in the plan, in the Verilog, on the page, in JSON, and
// in the C header, whose functions decode golden vectors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "backends/support/process.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class CliBeats : public InFolder {};

constexpr const char* two_layers = R"({"kumiki": 1, "name": "net",
  "simulation": {"resets": 0, "stall": 0.2},
  "layers": [{"type": "dot", "name": "a", "scheme": "wp486-macc", "terms": 25},
             {"type": "requant", "name": "q", "accumulator_bits": 20, "scale": 0.01}]})";

// Lines of the plan below "beats", the port's name after `prefix`, as the top calls it.
std::vector<std::string> beats_of(const std::string& plan, const std::string& prefix) {
  std::vector<std::string> lines;
  std::istringstream in(plan);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "  beats") {
      inside = true;
    } else if (inside && line.starts_with("    ")) {
      line.erase(0, 4);
      lines.push_back(line.starts_with(" ") ? line : prefix + line);
    } else {
      inside = false;
    }
  }
  return lines;
}

TEST_F(CliBeats, ArePrintedWrittenAndDrawn) {
  const auto file = config(R"({"kumiki": 1, "name": "net", "layers": [
      {"type": "dot", "name": "a", "scheme": "wp486-macc", "terms": 25}]})");
  for (const std::string more : {"", " --axi-stream"}) {
    const auto plan = kumiki("plan " + file + more);
    ASSERT_EQ(plan.status, 0) << plan.err;
    const auto lines = beats_of(plan.out, "a_");
    ASSERT_GT(lines.size(), 10u) << plan.out;
    ASSERT_EQ(kumiki("gen " + file + more + " -o " + path("out")).status, 0);
    const auto verilog = text("out/net.v"), header = text("out/net.h");
    for (const auto& line : lines) {
      if (line.find(" when ") != std::string::npos) continue;  // has names of ports in it
      EXPECT_THAT(verilog, HasSubstr("// " + line + "\n"));
      // the comment may end behind its last line
      EXPECT_THAT(header, AnyOf(HasSubstr(line + "\n"), HasSubstr(line + " */\n")));
    }
    EXPECT_THAT(text("out/report.html"), HasSubstr("beats of a"));
    EXPECT_THAT(text("out/a.beats.svg"), HasSubstr("</svg>"));
    const auto report = json::parse(text("out/report.json"));
    const auto& beats = report["layers"][0]["plan"]["beats"];
    EXPECT_EQ(beats[0]["port"], more.empty() ? "x" : "s_axis_in_tdata");
    EXPECT_EQ(json::parse(kumiki("plan --json " + file + more).out)["layers"][0]["beats"], beats);
  }
}

// A column of a .csv as C: words of 32 bits, a row a cycle.
std::string as_c(const std::string& csv, const std::string& port, const std::string& name) {
  std::istringstream in(csv);
  std::string line, out;
  std::getline(in, line);
  std::vector<std::string> names;
  std::istringstream heads(line);
  for (std::string head; std::getline(heads, head, ',');) names.push_back(head);
  const auto column = std::ranges::find(names, port) - names.begin();
  std::size_t words = 1;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (auto i = column; i >= 0; --i) std::getline(cells, cell, ',');
    cell.erase(0, 2);
    std::string row;
    std::size_t n = 0;
    for (; !cell.empty(); ++n) {
      const auto at = cell.size() > 8 ? cell.size() - 8 : 0;
      row += "0x" + cell.substr(at) + "u,";
      cell.erase(at);
    }
    words = std::max(words, n);
    out += "{" + row + "},\n";
  }
  return "static const uint32_t " + name + "[][" + std::to_string(words) + "] = {\n" + out + "};\n";
}

TEST_F(CliBeats, TheHeadersFunctionsDecodeGoldenVectors) {
  ASSERT_EQ(kumiki("gen " + config(two_layers) + " --vectors 400 -o " + path("out")).status, 0);
  const auto in = text("out/vectors/stimulus.csv"), out = text("out/vectors/expected.csv");
  write("out/main.c", "#include <stdio.h>\n#include <string.h>\n#include \"net.h\"\n" +
                          as_c(in, "a_en", "en") + as_c(in, "a_in_valid", "in_valid") +
                          as_c(in, "a_x", "x") + as_c(in, "a_y", "y") +
                          as_c(out, "a_out_valid", "out_valid") + as_c(out, "a_sum", "sum") + R"(
enum { cycles = sizeof en / sizeof en[0], terms = 25, most = 64 };
int main(void) {
  static uint32_t xs[most][NET_A_X_WORDS], ys[most][NET_A_Y_WORDS];
  static int64_t wanted[cycles][2];
  const unsigned words = net_a_y_word(terms - 1) + 1u;
  unsigned word = 0, sets = 0, done = 0, c, t, p;
  for (c = 0; c < cycles; ++c) {
    if (!en[c][0]) continue;
    if (out_valid[c][0]) {
      for (p = 0; p < 2; ++p)
        if (net_a_sum_get(sum[c], p) != wanted[done][p]) {
          printf("set %u\n", done);
          return 1;
        }
      ++done;
    }
    if (word == 0 && !in_valid[c][0]) continue;
    memcpy(xs[word], x[c], sizeof xs[0]);
    memcpy(ys[word], y[c], sizeof ys[0]);
    if (++word < words) continue;
    word = 0;
    for (t = 0; t < terms; ++t)
      for (p = 0; p < 2; ++p)
        wanted[sets][p] += net_a_x_get(xs[net_a_x_word(p, t)], p, t) * net_a_y_get(ys[net_a_y_word(t)], t);
    ++sets;
  }
  {
    uint32_t one[NET_A_X_WORDS] = {0};
    net_a_x_put(one, 1, 3, -77);
    if (net_a_x_get(one, 1, 3) != -77) return 1;
  }
  printf(done > 10 ? "right\n" : "few\n");
  return 0;
}
)");
  for (const std::string language : {"-xc", "-xc++"}) {
    const auto compiled = backends::run_process(
        {"g++", language, language == "-xc" ? "-std=c99" : "-std=c++11", "-pedantic", "-Wall",
         "-Wextra", "-Wconversion", "-Werror", "-o", "../decode", "main.c"},
        folder_ / "out");
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    EXPECT_EQ(backends::run_process({"../decode"}, folder_ / "out").output, "right\n");
  }
}

// Functions of every kind compile: counts at run time, mixed formats, lateness, and
// places of which there is only one although a beat has room for more.
TEST_F(CliBeats, FunctionsOfAllKindsCompile) {
  ASSERT_EQ(
      kumiki("gen " + config(R"({"kumiki": 1, "name": "net", "defaults": {"effort": 0}, "layers": [
      {"type": "vision", "name": "v", "width": 9, "height": 5, "pixels": 2, "channels": 3,
       "stages": [{"kernel": "erode"}]},
      {"type": "dot", "name": "d", "scheme": "carry-lane", "terms": 9, "skew": "external"},
      {"type": "conv2d", "name": "c", "in_channels": 4, "height": 5, "width": 6, "out_channels": 6,
       "kernel": [2, 2], "stride": 2, "groups": 2, "rows": 2, "columns": 1, "weights_from": "random"},
      {"type": "vision", "name": "line", "width": 8, "height": 1, "stages": [{"kernel": "erode"}]},
      {"type": "vision", "name": "row", "width": 1, "height": 8, "stages": [{"kernel": "erode"}]},
      {"type": "matvec", "name": "one", "outputs": 1, "inputs": 4, "weights_from": "random"},
      {"type": "matvec", "name": "loaded", "outputs": 1, "inputs": 4, "weights_from": "port"},
      {"type": "matvec", "name": "shared", "outputs": 3, "inputs": 9, "sharing": "weight",
       "weights_from": "random"},
      {"type": "matmul", "name": "m", "m": 4, "k": 5, "n": 1, "weights_from": "random"},
      {"type": "conv2d", "name": "dot", "in_channels": 3, "out_channels": 2, "height": 3, "width": 3,
       "weights_from": "random"}]})") +
             " -o " + path("out"))
          .status,
      0);
  write("out/main.c", R"(#include <stdio.h>
#include "net.h"
int main(void) {
  /* width 7: four beats a line */
  printf("%u %u\n", net_v_s_axis_tdata_word(7, 2, 3, 0), net_d_x_late(1, 5));
  return 0;
}
)");
  const auto compiled =
      backends::run_process({"g++", "-xc", "-std=c99", "-pedantic", "-Wall", "-Wextra",
                             "-Wconversion", "-Werror", "-o", "../main", "main.c"},
                            folder_ / "out");
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  EXPECT_EQ(backends::run_process({"../main"}, folder_ / "out").output, "9 5\n");
}

}  // namespace
}  // namespace kumiki::test
