// SPDX-License-Identifier: Apache-2.0
// The vendor's answers once more, by our Verilog model under Icarus: four-valued and event by
// event, so an unknown value or a race would show. Every third parameter set runs on the falling
// edge.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/support/dsp48e2_traces.h"
#include "tests/support/tool.h"

namespace kumiki::tests {
namespace dsp48e2_icarus_test {

// Inputs as one hexadecimal number, the first pin at the top.
std::string stimulus(ir::Kind kind, const ir::Dsp48e2Inputs& in) {
  std::string bits, digits;
  for (const auto& pin : ir::dsp_input_pins(kind))
    for (unsigned i = pin.width; pin.member != nullptr && i-- > 0;)
      bits += (in.*pin.member >> i & 1) != 0 ? '1' : '0';
  while (bits.size() % 4 != 0) bits.insert(0, "0");
  for (std::size_t i = 0; i < bits.size(); i += 4)
    digits += fmt::format("{:x}", std::stoi(bits.substr(i, 4), nullptr, 2));
  return digits;
}

std::string bench(std::size_t index, const Dsp48e2Trace& trace) {
  std::string inputs, wires, ports, format, shown;
  unsigned width = 0;
  const ir::Kind kind = trace.attributes.kind;
  for (const auto& pin : ir::dsp_input_pins(kind)) {
    ports += fmt::format(", .{0}({0})", pin.name);
    if (pin.member == nullptr) continue;
    width += pin.width;
    inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", pin.name);
    wires += fmt::format("  wire [{}:0] {};\n", pin.width - 1, pin.name);
  }
  for (const auto& pin : ir::dsp_output_pins(kind)) {
    wires += fmt::format("  wire [{}:0] {};\n", pin.width - 1, pin.name);
    ports += fmt::format(", .{0}({0})", pin.name);
    format += " %h";
    shown += fmt::format(", {}", pin.name);
  }
  return fmt::format(
      "module t{0};\n{1}  reg CLK = {2};\n  reg [{3}:0] in, all [0:{4}];\n"
      "  assign {{{5}}} = in;\n  {10} #({6}) u ({7});\n  integer n;\n  initial begin\n"
      "    $readmemh(\"t{0}.hex\", all);\n    for (n = 0; n <= {4}; n = n + 1) begin\n"
      "      in = all[n];\n      #1 CLK = ~CLK;\n      #1 $display(\"{0} %0d{8}\", n{9});\n"
      "      CLK = ~CLK;\n      #1;\n    end\n  end\nendmodule\n",
      index, wires, trace.attributes.is_clk_inverted, width - 1, trace.cycles.size() - 1, inputs,
      verilog_parameters(trace.attributes), ports.substr(2), format, shown,
      ir::prototype(kind).name);
}

// An unknown digit reads as a wrong one.
std::uint64_t number(std::string digits) {
  for (char& c : digits)
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return ~std::uint64_t{0};
  return std::stoull(digits, nullptr, 16);
}

struct Counts {
  std::size_t lines, known;
  bool operator==(const Counts&) const = default;
};

Counts replay(ir::Kind kind) {
  const std::string folder = fmt::format("{}/{}_icarus", KUMIKI_TEST_TMP, ir::prototype(kind).name);
  std::filesystem::create_directories(folder);
  auto traces = read_dsp_traces(kind);
  std::string text, tops;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i].attributes.is_clk_inverted = i % 3 == 2;
    text += bench(i, traces[i]);
    tops += fmt::format(" -s t{}", i);
    std::string lines;
    for (const auto& cycle : traces[i].cycles) lines += stimulus(kind, cycle.in) + "\n";
    write_text(fmt::format("{}/t{}.hex", folder, i), lines);
  }
  write_text(folder + "/bench.v", text);
  run_tool(fmt::format("cd '{}' && iverilog -g2005 -Wall -Wno-timescale{} -o bench bench.v -y '{}'",
                       folder, tops, KUMIKI_TEST_DIR "/../templates/primitives"),
           folder + "/compile.log");
  EXPECT_EQ(read_text(folder + "/compile.log"), "");
  run_tool(fmt::format("cd '{}' && vvp -n bench", folder), folder + "/run.log");

  std::istringstream answers(read_text(folder + "/run.log"));
  std::size_t known = 0, lines = 0, trace = 0, cycle = 0;
  for (; answers >> trace >> cycle; ++lines) {
    ir::Dsp48e2Outputs out;
    for (const auto& pin : ir::dsp_output_pins(kind)) {
      std::string digits;
      answers >> digits;
      out.*pin.member = number(digits);
    }
    EXPECT_EQ(mismatch(traces.at(trace).cycles.at(cycle), out, known), "")
        << traces[trace].name << " cycle " << cycle;
  }
  return {lines, known};
}

TEST(Dsp48e2Icarus, ReproducesEveryKnownDigit) {
  EXPECT_EQ(replay(ir::Kind::dsp48e2), (Counts{180 * 48, 384044}));
}
TEST(Dsp48e1Icarus, ReproducesEveryKnownDigit) {
  EXPECT_EQ(replay(ir::Kind::dsp48e1), (Counts{120 * 64, 332146}));
}

// What Yosys' own checks find in the model for a few parameter sets of each kind.
void read_without_problems(ir::Kind kind) {
  const auto name = ir::prototype(kind).name;
  const std::string folder = fmt::format("{}/{}_yosys", KUMIKI_TEST_TMP, name);
  std::filesystem::create_directories(folder);
  auto traces = read_dsp_traces(kind);
  std::string text = "module top;\n";
  for (std::size_t i = 0; i < traces.size(); i += 12)
    text += fmt::format("  (* keep *) {} #({}) u{} ();\n", name,
                        verilog_parameters(traces[i].attributes), i);
  write_text(folder + "/top.v", text + "endmodule\n");
  run_tool(fmt::format("yosys -Q -T -p 'read_verilog \"{0}/DSP48E1.v\" \"{0}/DSP48E2.v\" "
                       "\"{1}/top.v\"; hierarchy -check -top top; proc; check -assert'",
                       KUMIKI_TEST_DIR "/../templates/primitives", folder),
           folder + "/yosys.log");
  EXPECT_EQ(read_text(folder + "/yosys.log").find("Warning"), std::string::npos);
}

TEST(Dsp48e2Yosys, ReadsTheModelWithoutProblems) { read_without_problems(ir::Kind::dsp48e2); }
TEST(Dsp48e1Yosys, ReadsTheModelWithoutProblems) { read_without_problems(ir::Kind::dsp48e1); }

}  // namespace dsp48e2_icarus_test
}  // namespace kumiki::tests
