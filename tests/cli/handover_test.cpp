// SPDX-License-Identifier: Apache-2.0
// What `gen` writes for other tools, used by those tools.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "backends/support/process.h"
#include "gen/config/array_file.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class HandOver : public InFolder {
 protected:
  // Generates into out/ below the folder of the test.
  Called generate(const std::string& configuration, const std::string& more = {},
                  const std::string& out = "out") const {
    return kumiki("gen " + configuration + " " + more + " -o " + path(out));
  }
  std::string text(const std::string& file) const { return InFolder::text("out/" + file); }
  void write(const std::string& file, const std::string& bytes) const {
    InFolder::write("out/" + file, bytes);
  }

  // The generated testbench under Icarus as its first lines say, in the language they name.
  std::string replay(const std::string& top) const {
    auto compiled = backends::run_process(
        {"iverilog", "-g2001", "-o", "../replay", "-f", top + "_sim.f", "vectors/" + top + "_tb.v"},
        folder_ / "out");
    EXPECT_EQ(compiled.status, 0) << compiled.output;
    EXPECT_EQ(compiled.output, "");
    return backends::run_process({"vvp", "-n", "../replay"}, folder_ / "out").output;
  }

  // main.c beside the header says "right", as C99 and as C++.
  void expect_right() const {
    for (const char* language : {"-std=c99", "-xc++"}) {
      const auto compiled = backends::run_process(
          {"g++", language == std::string("-xc++") ? "-xc++" : "-xc", language, "-pedantic",
           "-Wall", "-Wextra", "-Werror", "-o", "../header", "main.c"},
          folder_ / "out");
      ASSERT_EQ(compiled.status, 0) << compiled.output;
      EXPECT_EQ(backends::run_process({"../header"}, folder_ / "out").output, "right\n")
          << language;
    }
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

// Turns over the digit that holds this bit in word `at` of a file of $readmemh.
std::string with_bit_changed(const std::string& hex, std::size_t at, unsigned bit) {
  auto lines = lines_of(hex);
  for (auto& line : lines) {
    if (line.starts_with("//") || at-- != 0) continue;
    char& digit = line[line.size() - 1 - bit / 4];
    const unsigned value = static_cast<unsigned>(std::stoi(std::string(1, digit), nullptr, 16));
    digit = "0123456789abcdef"[value ^ 1u << bit % 4];
  }
  return joined(lines);
}

// The words of valid, 0 from power-up on until a result is there.
std::vector<std::string> words(const std::string& hex) {
  auto lines = lines_of(hex);
  std::erase_if(lines, [](const auto& line) { return line.starts_with("//"); });
  return lines;
}

TEST_F(HandOver, VectorsReplayUnderIcarusAndOneChangedWordIsSeen) {
  ASSERT_EQ(generate("quickstart.json", "--vectors 250").status, 0);
  EXPECT_THAT(replay("quickstart"),
              HasSubstr("PASS: 250 cycles, 250 of them compared, 0 mismatch"));

  // pixels_out_valid is bit 0 and always counts; pixels_sum, from bit 1 on, counts with it.
  const auto expected = text("vectors/expected.hex");
  const auto valid = words(text("vectors/valid.hex"));
  const auto counts = [&](bool is) {
    for (std::size_t i = 0; i < valid.size(); ++i)
      if ((valid[i].back() == 'f') == is) return i;
    return valid.size();
  };
  ASSERT_LT(counts(true), valid.size());
  ASSERT_LT(counts(false), valid.size());
  write("vectors/expected.hex", with_bit_changed(expected, counts(true), 2));
  auto said = replay("quickstart");
  EXPECT_THAT(said, HasSubstr("FAIL: 250 cycles, 250 of them compared, 1 mismatch"));
  EXPECT_THAT(said, HasSubstr("cycle " + std::to_string(counts(true)) + ": outputs differ"));
  EXPECT_THAT(said, HasSubstr("pixels_sum: "));
  EXPECT_THAT(said, Not(HasSubstr("maps_sum: ")));

  // What means nothing may be anything; what always counts is seen in that cycle too.
  write("vectors/expected.hex", with_bit_changed(expected, counts(false), 2));
  EXPECT_THAT(replay("quickstart"), HasSubstr("PASS"));
  write("vectors/expected.hex", with_bit_changed(expected, counts(false), 0));
  EXPECT_THAT(replay("quickstart"), HasSubstr("FAIL"));

  // Another stimulus, a short file, none: all of them fail.
  write("vectors/expected.hex", expected);
  const auto stimulus = text("vectors/stimulus.hex");
  auto lines = lines_of(stimulus);
  write("vectors/stimulus.hex", joined({lines.begin(), lines.end() - 1}));
  EXPECT_THAT(replay("quickstart"), HasSubstr("cycle 249: no vector"));
  fs::remove(folder_ / "out/vectors/stimulus.hex");
  EXPECT_THAT(replay("quickstart"), HasSubstr("FAIL: 250 cycles"));
}

// A trained network on its array: a pooled convolution, a sum by the host, a dense layer.
TEST_F(HandOver, AnImageThroughANetworkReplaysUnderIcarus) {
  InFolder::write("net.graph",
                  "graph net\ntensor x u8 1x4x4 scale 0x1p-3 zero 3\n"
                  "tensor y u8 2x4x4 scale 0x1p-3 zero 7\ntensor p u8 2x2x2 scale 0x1p-3 zero 7\n"
                  "tensor s u8 2x2x2 scale 0x1p-2 zero 0\ntensor f u8 8x1x1 scale 0x1p-2 zero 0\n"
                  "tensor z s8 2x1x1 scale 0x1p-1 zero -4\ninput x\noutput z\n"
                  "conv c x -> y kernel 1x1\n  scales 0x1p-2\n  bias 4 -9\n  weights 3 -2\n"
                  "max_pool m y -> p kernel 2x2 stride 2x2\nadd a p p -> s\nreshape r s -> f\n"
                  "conv d f -> z kernel 1x1\n  scales 0x1p-4\n  bias 1 2\n"
                  "  weights 1 -2 3 -4 5 -6 7 -8 8 7 6 5 4 3 2 1\n");
  std::string images = gen::config::npy_header({'u', 1}, {2, 1, 4, 4});
  for (int i = 0; i < 32; ++i) images += static_cast<char>(i * 37);
  InFolder::write("x.npy", images);
  const std::string cfg = config(
      R"({"kumiki": 1, "name": "net", "layers": [{"type": "pe_array", "name": "a", "rows": 2,
          "columns": 2, "accumulators": 2, "requantise": "float32", "graph": "net.graph"}]})");
  const auto r = generate(cfg, "--image-vectors " + path("x.npy"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(replay("net"), HasSubstr("PASS: "));
  // Two starts of the array: each result of both layers leaves it in a word of its own.
  const auto valid = words(text("vectors/valid.hex"));
  const auto kept = lines_of(text("vectors/expected.csv"));
  EXPECT_EQ(kept.size(), valid.size() + 1);
  const auto expected = text("vectors/expected.hex");
  write("vectors/expected.hex", with_bit_changed(expected, valid.size() - 1, 0));
  EXPECT_THAT(replay("net"), HasSubstr("FAIL: "));

  const auto none = generate("quickstart.json", "--image-vectors " + path("x.npy"), "other");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("quickstart.json: --image-vectors is for a pe_array with a "
                                  "\"graph\", and there are 0; there must be one ["));
  // An image that takes more clocks than a file of vectors holds.
  InFolder::write("net.graph",
                  "graph net\ntensor x u8 1x512x512 scale 0x1p-1\ntensor y u8 4x512x512 scale "
                  "0x1p-1\ninput x\noutput y\nconv c x -> y kernel 1x1\n  scales 0x1p0\n"
                  "  bias 1 1 1 1\n  weights 1 1 1 1\n");
  const auto slow = generate(cfg, "--image-vectors " + path("x.npy"), "other");
  EXPECT_EQ(slow.status, 2);
  EXPECT_THAT(slow.err, HasSubstr("--image-vectors: an image takes "));
  EXPECT_THAT(slow.err, HasSubstr(" clocks; it must take at most 1000000 [option-value]\n"));
  EXPECT_EQ(generate(cfg, "--vectors 10 --image-vectors " + path("x.npy"), "other").status, 2);
}

TEST_F(HandOver, VectorsSeeAWrongNetlist) {
  ASSERT_EQ(generate("quickstart.json", "--vectors 250").status, 0);
  auto model = text("primitives/FDRE.v");
  const auto at = model.rfind("Q <= data");
  ASSERT_NE(at, std::string::npos) << model;
  write("primitives/FDRE.v", model.replace(at, 9, "Q <= ~data"));
  EXPECT_THAT(replay("quickstart"), HasSubstr("FAIL: 250 cycles"));
}

// Fabric of the 7 series, no clock at all, and a stream with a sequence of its own.
TEST_F(HandOver, VectorsOfOtherLayers) {
  ASSERT_EQ(generate(config(R"({"kumiki": 1, "name": "ones", "target": {"family": "7series"},
  "layers": [{"type": "popcount", "name": "a", "bits": 64, "pipeline": 0},
             {"type": "popcount", "name": "b", "bits": 200, "pipeline": 1}]})"),
                     "--vectors 100")
                .status,
            0);
  EXPECT_THAT(replay("ones"), HasSubstr("PASS: 100 cycles"));
  ASSERT_EQ(generate("conv-3x3.json", "--vectors 60").status, 0);
  EXPECT_THAT(replay("conv3x3"), HasSubstr("PASS: 60 cycles"));
}

TEST_F(HandOver, VectorsAsTablesSayTheSame) {
  ASSERT_EQ(generate("quickstart.json", "--vectors 40").status, 0);
  const auto csv = lines_of(text("vectors/expected.csv"));
  ASSERT_EQ(csv.size(), 41u);
  EXPECT_EQ(csv[0], "cycle,pixels_out_valid,pixels_sum,maps_out_valid,maps_sum");
  EXPECT_EQ(lines_of(text("vectors/valid.csv"))[0], csv[0]);
  EXPECT_EQ(lines_of(text("vectors/stimulus.csv"))[0].substr(0, 27), "cycle,pixels_rst,pixels_en,");
  const auto hex = words(text("vectors/expected.hex"));
  for (std::size_t i = 0; i < hex.size(); ++i) {
    // 1 + 36 + 1 + 36 bits, the first port lowest.
    std::istringstream row(csv[i + 1]);
    std::string field;
    std::getline(row, field, ',');
    EXPECT_EQ(field, std::to_string(i));
    std::string bits;
    for (unsigned width : {1u, 36u, 1u, 36u}) {
      std::getline(row, field, ',');
      ASSERT_EQ(field.substr(0, 2), "0x");
      std::string own;
      for (char c : field.substr(2))
        for (unsigned b = 4; b-- > 0;)
          own += std::stoi(std::string(1, c), nullptr, 16) >> b & 1 ? '1' : '0';
      bits = own.substr(own.size() - width) + bits;
    }
    std::string whole;
    for (char c : hex[i])
      for (unsigned b = 4; b-- > 0;)
        whole += std::stoi(std::string(1, c), nullptr, 16) >> b & 1 ? '1' : '0';
    EXPECT_EQ(whole.substr(whole.size() - 74), bits) << i;
  }
}

TEST_F(HandOver, TheSameBytesTwiceAllInTheManifestWithoutPaths) {
  ASSERT_EQ(generate("quickstart.json", "--vectors 40").status, 0);
  ASSERT_EQ(generate("quickstart.json", "--vectors 40", "again").status, 0);
  const auto manifest = json::parse(text("manifest.json"));
  std::vector<std::string> listed;
  for (const auto& f : manifest["files"]) listed.push_back(f["name"]);
  for (const auto& f : fs::recursive_directory_iterator(folder_ / "out")) {
    if (!f.is_regular_file()) continue;
    const auto name = fs::relative(f.path(), folder_ / "out").generic_string();
    EXPECT_EQ(read_bytes(f.path()), read_bytes(folder_ / "again" / name)) << name;
    EXPECT_THAT(read_bytes(f.path()), Not(HasSubstr(folder_.string()))) << name;
    if (name == "manifest.json") continue;
    EXPECT_THAT(listed, ::testing::Contains(name));
  }
  // Another seed, another stimulus.
  ASSERT_EQ(generate("quickstart.json", "--vectors 40 --seed 9", "other").status, 0);
  EXPECT_NE(read_bytes(folder_ / "other/vectors/stimulus.hex"), text("vectors/stimulus.hex"));
  // Without --vectors the old ones go.
  ASSERT_EQ(generate("quickstart.json").status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "out/vectors/stimulus.hex"));
  EXPECT_THAT(text("quickstart.core"), Not(HasSubstr("vectors")));
  EXPECT_EQ(generate("quickstart.json", "--vectors 0").status, 2);
}

TEST_F(HandOver, TextsForVivadoYosysAndFuseSoC) {
  ASSERT_EQ(generate("quickstart.json", "--vectors 8").status, 0);
  for (const char* file :
       {"quickstart_ooc.tcl", "quickstart_ooc.xdc", "quickstart.ys", "quickstart.core"})
    expect_golden(std::string("project/") + file, text(file));
  expect_golden("project/quickstart_tb.v", text("vectors/quickstart_tb.v"));
}

TEST_F(HandOver, ThePartOfTheConfiguration) {
  auto of = [&](const std::string& target) {
    return config(R"({"kumiki": 1, "name": "x", "target": {)" + target +
                  R"(}, "layers": [{"type": "popcount", "bits": 8}]})");
  };
  ASSERT_EQ(generate(of(R"("part": "xczu9eg-ffvb1156-2-e")")).status, 0);
  EXPECT_THAT(text("x_ooc.tcl"), HasSubstr("{part xczu9eg-ffvb1156-2-e period 2.000"));
  EXPECT_THAT(text("x.core"), HasSubstr("part: xczu9eg-ffvb1156-2-e"));
  ASSERT_EQ(generate(of(R"("family": "7series")")).status, 0);
  EXPECT_THAT(text("x_ooc.tcl"), HasSubstr("{part xc7a200tsbg484-1 period 5.000"));
  EXPECT_THAT(text("x.ys"), HasSubstr("-family xc7 "));
  ASSERT_EQ(generate(of(R"("family": "ultrascale")")).status, 0);
  EXPECT_THAT(text("x_ooc.tcl"), HasSubstr("{part xcku040-ffva1156-2-e period 2.500"));
  EXPECT_THAT(text("x.ys"), HasSubstr("-family xcu "));

  auto other = generate(of(R"("family": "7series", "part": "xczu9eg-ffvb1156-2-e")"));
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err,
              HasSubstr("/target/part: \"xczu9eg-ffvb1156-2-e\" is a part of ultrascale+"));
  // Nothing that could end the word in a script.
  EXPECT_EQ(generate(of(R"("part": "xc7; exit")")).status, 3);
}

// Vivado is not here: its commands stand in for themselves and say how they were called.
TEST_F(HandOver, TheScriptForVivadoRunsItsStepsInOrder) {
  ASSERT_EQ(generate("quickstart.json").status, 0);
  std::ofstream(folder_ / "stand_in.tcl") << R"(
foreach command {create_project read_verilog read_xdc synth_design opt_design place_design
                 route_design write_checkpoint report_utilization report_timing_summary
                 create_clock set_property} {
  proc $command {args} "puts \"$command \$args\""
}
proc get_ports {name} {return "port:$name"}
proc get_cells {args} {return "cells:$args"}
proc get_timing_paths {args} {return {one}}
proc get_property {args} {return 0.125}
set script [lindex $argv 0]
set argv [lrange $argv 1 end]
source $script
)";
  auto vivado = [&](const std::string& settings) {
    return backends::run_process(
        {"bash", "-c", "tclsh stand_in.tcl out/quickstart_ooc.tcl " + settings}, folder_);
  };
  auto r = vivado("");
  ASSERT_EQ(r.status, 0) << r.output;
  std::string said = r.output;
  const auto here = fs::canonical(folder_ / "out").string();
  for (auto at = said.find(here); at != std::string::npos; at = said.find(here))
    said.replace(at, here.size(), "HERE");
  expect_golden("project/vivado-calls.txt", said);
  EXPECT_TRUE(fs::is_directory(folder_ / "vivado"));

  auto some = vivado("part xcku5p-ffvb676-2-e period 3.25 keep 1 stop opt results else/where");
  ASSERT_EQ(some.status, 0) << some.output;
  EXPECT_THAT(some.output, HasSubstr("create_project -in_memory -part xcku5p-ffvb676-2-e"));
  EXPECT_THAT(some.output, HasSubstr("create_clock -name clk -period 3.25 port:clk"));
  EXPECT_THAT(some.output,
              HasSubstr("set_property DONT_TOUCH true {cells:-hierarchical -filter IS_PRIMITIVE}"));
  EXPECT_THAT(some.output, HasSubstr("else/where/quickstart_opt_timing.rpt"));
  EXPECT_THAT(some.output, Not(HasSubstr("place_design")));
  for (const char* wrong : {"period fast", "period 0", "stop never", "clock 3", "period"})
    EXPECT_NE(vivado(wrong).status, 0) << wrong;
}

// The script leaves every primitive alone, but for a LUT6_2, which becomes two LUTs: Yosys counts
// what we count.
TEST_F(HandOver, TheScriptForYosysKeepsEveryCell) {
  for (const char* text : {R"({"kumiki": 1, "name": "x", "target": {"family": "7series"},
  "layers": [{"type": "popcount", "name": "a", "bits": 100}]})",
                           R"({"kumiki": 1, "name": "x",
  "layers": [{"type": "dot", "name": "d", "terms": 9, "scheme": "wp487-int8-lut"}]})"}) {
    fs::remove_all(folder_ / "out");
    auto r = generate(config(text), "--json");
    ASSERT_EQ(r.status, 0) << r.err;
    auto ran = backends::run_process({"yosys", "-q", "x.ys"}, folder_ / "out");
    ASSERT_EQ(ran.status, 0) << ran.output;
    std::map<std::string, unsigned> ours, theirs;
    const auto report = json::parse(r.out);
    for (const auto& [cell, n] : report["resources"]["cells"].items()) ours[cell] = n;
    const auto netlist = json::parse(read_bytes(folder_ / "out/x_yosys.json"));
    for (const auto& [name, cell] : netlist["modules"]["x"]["cells"].items())
      ++theirs[cell["type"].get<std::string>()];
    EXPECT_GE(ours["LUT6_2"], 3u);
    EXPECT_EQ(theirs["LUT5"] + theirs["LUT6"], ours["LUT5"] + ours["LUT6"] + 2 * ours["LUT6_2"]);
    for (const char* kind : {"LUT5", "LUT6", "LUT6_2"}) ours.erase(kind), theirs.erase(kind);
    EXPECT_EQ(theirs, ours);
    EXPECT_GT(fs::file_size(folder_ / "out/x_yosys.edif"), 10'000u);
  }
}

// The two LUTs of a LUT6_2 are proved to do what it does.
TEST_F(HandOver, TheNetlistForNextpnrIsEqual) {
  ASSERT_EQ(generate(config(R"({"kumiki": 1, "name": "x", "target": {"family": "7series"},
  "layers": [{"type": "popcount", "name": "a", "bits": 14}]})"))
                .status,
            0);
  const auto yosys = [&](const std::string& script) {
    return backends::run_process({"yosys", "-q", "-p", script}, folder_ / "out");
  };
  ASSERT_EQ(yosys("script x.ys").status, 0);
  const auto proved = [&](const std::string& change) {
    const std::string cells = "read_verilog -overwrite +/xilinx/cells_sim.v; ";
    return yosys("read_verilog popcount14.v x.v; " + cells +
                 "prep -flatten -top x; rename x gold; design -stash gold; "
                 "read_json x_yosys.json; " +
                 change + cells +
                 "prep -flatten -top x; rename x gate; design -stash gate; "
                 "design -copy-from gold gold; design -copy-from gate gate; "
                 "miter -equiv -flatten gold gate both; sat -verify -prove trigger 0 both");
  };
  EXPECT_EQ(proved("").status, 0) << proved("").output;
  // A LUT that does something else is found.
  EXPECT_NE(proved("setparam -set INIT 32'h1 x/t:LUT5; ").status, 0);
}

// The header in C99, and numbers through it, first and last, with neighbours that stay as they are.
TEST_F(HandOver, TheHeaderPutsNumbersIntoPorts) {
  ASSERT_EQ(generate("quickstart.json").status, 0);
  write("main.c", R"(#include <stdio.h>
#include "quickstart.h"
int main(void) {
  uint32_t x[QUICKSTART_PIXELS_X_WORDS] = {0};
  unsigned i;
  int bad = QUICKSTART_PIXELS_X_NUMBERS != 14 || QUICKSTART_PIXELS_X_NUMBER_BITS != 8;
  bad |= QUICKSTART_PIXELS_X_BITS != 112 || !QUICKSTART_PIXELS_X_NUMBER_SIGNED;
  bad |= QUICKSTART_PIXELS_LATENCY != 12;
  for (i = 0; i < QUICKSTART_PIXELS_X_NUMBERS; ++i) quickstart_put(x, i, 8, 0xff);
  for (i = 0; i < QUICKSTART_PIXELS_X_NUMBERS; ++i)
    quickstart_put(x, i, 8, (uint64_t)(int64_t)((int)i * 19 - 128));
  for (i = 0; i < QUICKSTART_PIXELS_X_NUMBERS; ++i)
    bad |= quickstart_get_signed(x, i, 8) != (int)i * 19 - 128;
  bad |= x[3] >> 16 != 0;
  quickstart_put(x, 0, 64, (uint64_t)1 << 63);
  bad |= quickstart_get_signed(x, 0, 64) != INT64_MIN || quickstart_get(x, 0, 64) != (uint64_t)1 << 63;
  puts(bad ? "wrong" : "right");
  return bad;
}
)");
  expect_right();
}

// The word of a stream: every operand at its place, results with their sign, and what differs in
// one port told apart.
TEST_F(HandOver, TheHeaderKnowsThePartsOfAStreamsWord) {
  const auto file = config(R"({"kumiki": 1, "name": "w", "layers": [
    {"type": "dot", "name": "d", "scheme": "wp487-int8", "terms": 3},
    {"type": "requant", "name": "r", "accumulator_bits": 20, "scale": 0.01, "bias_bits": 13}]})");
  ASSERT_EQ(generate(file, "--axi-stream").status, 0);
  write("main.c", R"(#include <stdio.h>
#include "w.h"
int main(void) {
  uint32_t in[W_R_S_AXIS_IN_TDATA_WORDS] = {0}, d[W_D_S_AXIS_IN_TDATA_WORDS] = {0};
  unsigned i;
  int bad = W_R_S_AXIS_IN_TDATA_BITS != 40 || W_R_S_AXIS_IN_TDATA_ACC_LOW != 0;
  bad |= W_R_S_AXIS_IN_TDATA_ACC_NUMBER_BITS != 20 || W_R_S_AXIS_IN_TDATA_BIAS_LOW != 24;
  bad |= W_R_S_AXIS_IN_TDATA_BIAS_NUMBER_BITS != 13 || !W_R_S_AXIS_IN_TDATA_BIAS_NUMBER_SIGNED;
  bad |= W_R_M_AXIS_OUT_TDATA_Q_NUMBERS != 1 || !W_R_M_AXIS_OUT_TDATA_Q_NUMBER_SIGNED;
  w_put_at(in, W_R_S_AXIS_IN_TDATA_ACC_LOW, 20, (uint64_t)-5);
  w_put_at(in, W_R_S_AXIS_IN_TDATA_BIAS_LOW, 13, (uint64_t)-4096);
  bad |= in[0] != 0x000ffffbu || in[1] != 0x10u;
  bad |= w_get_signed_at(in, W_R_S_AXIS_IN_TDATA_BIAS_LOW, 13) != -4096;
  bad |= W_D_S_AXIS_IN_TDATA_X_NUMBERS != 6 || W_D_S_AXIS_IN_TDATA_Y_NUMBERS != 3;
  bad |= W_D_S_AXIS_IN_TDATA_X_LOW != 0 || W_D_S_AXIS_IN_TDATA_Y_LOW != 48;
  for (i = 0; i < W_D_S_AXIS_IN_TDATA_Y_NUMBERS; ++i)
    w_put_at(d, W_D_S_AXIS_IN_TDATA_Y_LOW + i * W_D_S_AXIS_IN_TDATA_Y_NUMBER_BITS,
             W_D_S_AXIS_IN_TDATA_Y_NUMBER_BITS, i + 1);
  bad |= d[1] != 0x02010000u || d[2] != 3;
  bad |= W_D_M_AXIS_OUT_TDATA_SUM_NUMBERS != 2 || !W_D_M_AXIS_OUT_TDATA_SUM_NUMBER_SIGNED;
  puts(bad ? "wrong" : "right");
  return bad;
}
)");
  expect_right();
}

// Results that are signed are said to be, of every type of layer that has such.
TEST_F(HandOver, TheHeaderSaysWhichResultsAreSigned) {
  const auto file = config(R"({"kumiki": 1, "name": "w", "layers": [
    {"type": "lut_macc", "name": "s", "terms": 2},
    {"type": "lut_macc", "name": "u", "terms": 2, "a": {"signed": false},
     "b": {"signed": false}},
    {"type": "requant", "name": "q", "accumulator_bits": 20, "scale": 0.01,
     "result_sign": "unsigned"},
    {"type": "dot", "name": "p", "terms": 2}]})");
  ASSERT_EQ(generate(file).status, 0);
  const auto header = text("w.h");
  for (const char* line :
       {"W_S_SUM_NUMBER_SIGNED 1\n", "W_U_SUM_NUMBER_SIGNED 0\n", "W_Q_Q_NUMBER_SIGNED 0\n",
        "W_P_SUM_NUMBERS 2u\n", "W_P_SUM_NUMBER_SIGNED 1\n"})
    EXPECT_THAT(header, HasSubstr(line));
}

// As FuseSoC calls it: a YAML file, the folder of the call takes the core.
TEST_F(HandOver, FuseSoCsGeneratorLeavesACore) {
  const auto script = fs::path(KUMIKI_TEST_DIR) / "../templates/fusesoc/kumiki_fusesoc.py";
  const auto call = [&](const std::string& parameters) {
    fs::remove_all(folder_ / "out");
    fs::create_directories(folder_ / "out");
    std::ofstream(folder_ / "request.yml")
        << "gapi: '1.0'\nfiles_root: " << (fs::path(KUMIKI_TEST_DIR) / "../examples").string()
        << "\nvlnv: ::design-filter:1.2\nparameters: {program: '" << KUMIKI_PROGRAM << "'"
        << parameters << "}\n";
    return backends::run_process({"python3", script.string(), "../request.yml"}, folder_ / "out");
  };
  const auto r = call(", config: quickstart.json, vectors: 20");
  EXPECT_EQ(r.status, 0) << r.output;
  const auto core = text("quickstart.core");
  EXPECT_THAT(core, HasSubstr("name: \"::design-filter:1.2\"\n"));
  EXPECT_THAT(core, HasSubstr("vectors/quickstart_tb.v"));
  EXPECT_THAT(replay("quickstart"), HasSubstr("PASS: 20 cycles"));
  const auto no_config = call(", vectors: 20");
  EXPECT_EQ(no_config.status, 1);
  EXPECT_THAT(no_config.output, HasSubstr("config names no configuration file"));
  const auto unknown = call(", config: quickstart.json, vector: 20");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.output, HasSubstr("unknown parameters: vector; use axi_stream, config"));
  EXPECT_EQ(call(", config: nothing.json").status, 4);
  EXPECT_TRUE(fs::is_empty(folder_ / "out"));
}

// The wrapper's streams under another simulator, stalls and resets and all.
TEST_F(HandOver, AxiStreamsReplayUnderIcarus) {
  const auto small = config(R"({"kumiki": 1, "name": "streams", "layers": [
    {"type": "conv2d", "name": "c", "in_channels": 2, "height": 4, "width": 4, "out_channels": 2,
     "kernel": [2, 2], "slices": 4, "weights_from": "random"},
    {"type": "dot", "name": "d", "scheme": "offset-binary", "terms": 4, "cycles": 2}]})");
  const auto made = generate(small, "--axi-stream --vectors 600");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(text("vectors/stimulus.csv"), HasSubstr("c_s_axis_in_tdata"));
  EXPECT_THAT(text("vectors/stimulus.csv"), HasSubstr("d_s_axis_in_tdata"));
  EXPECT_THAT(text("streams.v"),
              HasSubstr("    (* X_INTERFACE_INFO = \"xilinx.com:interface:axis:1.0 d_s_axis_in "
                        "TDATA\" *)\n    input wire [47:0] d_s_axis_in_tdata,\n"));
  EXPECT_THAT(replay("streams"), HasSubstr("PASS: 600 cycles"));
  EXPECT_THAT(text("report.html"), HasSubstr("kumiki sim cfg.json --axi-stream"));
  const auto none = generate(config(R"({"kumiki": 1, "name": "still", "layers": [
    {"type": "popcount", "name": "ones", "bits": 9},
    {"type": "dot", "name": "askew", "terms": 4, "skew": "external"}]})"),
                             "--axi-stream", "none");
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("no layer can stand between AXI4-Streams"));
  const auto some = kumiki("check " + config(R"({"kumiki": 1, "name": "some", "layers": [
    {"type": "dot", "name": "d", "terms": 3}, {"type": "popcount", "name": "b", "bits": 5},
    {"type": "dot", "name": "c", "terms": 3, "skew": "external"}]})") +
                           " --axi-stream");
  EXPECT_EQ(some.status, 0) << some.err;
  EXPECT_THAT(some.err, HasSubstr("kumiki: no AXI4-Stream is put around b, c: the ports are those "
                                  "without the option"));
}

}  // namespace
}  // namespace kumiki::test
