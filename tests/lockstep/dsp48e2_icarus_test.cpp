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
std::string stimulus(const ir::Dsp48e2Inputs& in) {
  std::string bits, digits;
  for (const auto& pin : ir::dsp48e2_input_pins)
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
  for (const auto& pin : ir::dsp48e2_input_pins) {
    ports += fmt::format(", .{0}({0})", pin.name);
    if (pin.member == nullptr) continue;
    width += pin.width;
    inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", pin.name);
    wires += fmt::format("  wire [{}:0] {};\n", pin.width - 1, pin.name);
  }
  for (const auto& pin : ir::dsp48e2_output_pins) {
    wires += fmt::format("  wire [{}:0] {};\n", pin.width - 1, pin.name);
    ports += fmt::format(", .{0}({0})", pin.name);
    format += " %h";
    shown += fmt::format(", {}", pin.name);
  }
  return fmt::format(
      "module t{0};\n{1}  reg CLK = {2};\n  reg [{3}:0] in, all [0:{4}];\n"
      "  assign {{{5}}} = in;\n  DSP48E2 #({6}) u ({7});\n  integer n;\n  initial begin\n"
      "    $readmemh(\"t{0}.hex\", all);\n    for (n = 0; n <= {4}; n = n + 1) begin\n"
      "      in = all[n];\n      #1 CLK = ~CLK;\n      #1 $display(\"{0} %0d{8}\", n{9});\n"
      "      CLK = ~CLK;\n      #1;\n    end\n  end\nendmodule\n",
      index, wires, trace.attributes.is_clk_inverted, width - 1, trace.cycles.size() - 1, inputs,
      verilog_parameters(trace.attributes), ports.substr(2), format, shown);
}

// An unknown digit reads as a wrong one.
std::uint64_t number(std::string digits) {
  for (char& c : digits)
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return ~std::uint64_t{0};
  return std::stoull(digits, nullptr, 16);
}

TEST(Dsp48e2Icarus, ReproducesEveryKnownDigit) {
  const std::string folder = KUMIKI_TEST_TMP "/dsp48e2_icarus";
  std::filesystem::create_directories(folder);
  auto traces = read_dsp48e2_traces(KUMIKI_TEST_DIR "/vectors/dsp48e2");
  std::string text, tops;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i].attributes.is_clk_inverted = i % 3 == 2;
    text += bench(i, traces[i]);
    tops += fmt::format(" -s t{}", i);
    std::string lines;
    for (const auto& cycle : traces[i].cycles) lines += stimulus(cycle.in) + "\n";
    write_text(fmt::format("{}/t{}.hex", folder, i), lines);
  }
  write_text(folder + "/bench.v", text);
  run_tool(fmt::format("cd '{}' && iverilog -g2005 -Wall -Wno-timescale{} -o bench bench.v '{}'",
                       folder, tops, KUMIKI_TEST_DIR "/../templates/primitives/DSP48E2.v"),
           folder + "/compile.log");
  EXPECT_EQ(read_text(folder + "/compile.log"), "");
  run_tool(fmt::format("cd '{}' && vvp -n bench", folder), folder + "/run.log");

  std::istringstream answers(read_text(folder + "/run.log"));
  std::size_t known = 0, lines = 0, trace = 0, cycle = 0;
  for (; answers >> trace >> cycle; ++lines) {
    ir::Dsp48e2Outputs out;
    for (const auto& pin : ir::dsp48e2_output_pins) {
      std::string digits;
      answers >> digits;
      out.*pin.member = number(digits);
    }
    EXPECT_EQ(mismatch(traces.at(trace).cycles.at(cycle), out, known), "")
        << traces[trace].name << " cycle " << cycle;
  }
  EXPECT_EQ(lines, 180u * 48u);
  EXPECT_EQ(known, 384044u);
}

// What Yosys' own checks find in the model for a few parameter sets of each kind.
TEST(Dsp48e2Yosys, ReadsTheModelWithoutProblems) {
  const std::string folder = KUMIKI_TEST_TMP "/dsp48e2_yosys";
  std::filesystem::create_directories(folder);
  auto traces = read_dsp48e2_traces(KUMIKI_TEST_DIR "/vectors/dsp48e2");
  std::string text = "module top;\n";
  for (std::size_t i = 0; i < traces.size(); i += 12)
    text += fmt::format("  (* keep *) DSP48E2 #({}) u{} ();\n",
                        verilog_parameters(traces[i].attributes), i);
  write_text(folder + "/top.v", text + "endmodule\n");
  run_tool(
      fmt::format("yosys -Q -T -p 'read_verilog \"{}\" \"{}/top.v\"; hierarchy -check -top top; "
                  "proc; check -assert'",
                  KUMIKI_TEST_DIR "/../templates/primitives/DSP48E2.v", folder),
      folder + "/yosys.log");
  EXPECT_EQ(read_text(folder + "/yosys.log").find("Warning"), std::string::npos);
}

}  // namespace dsp48e2_icarus_test
}  // namespace kumiki::tests
