// SPDX-License-Identifier: Apache-2.0
#include "tests/support/verilated_dsp48e2.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>

#include "backends/emit/messages.h"
#include "backends/support/messages.h"
#include "ir/error.h"
#include "tests/support/tool.h"

namespace kumiki::tests {
namespace {

using ir::dsp48e2_input_pins;
using ir::dsp48e2_output_pins;

std::string range(unsigned width) { return width == 1 ? "" : fmt::format("[{}:0] ", width - 1); }

// All instances share the inputs; INSTANCE chooses whose outputs are shown. A DSP48E1 leaves the
// upper bits of D and OPMODE, and its XOROUT is 0.
std::string bench(const std::vector<ir::Dsp48e2Attributes>& instances) {
  unsigned index = std::max(1, static_cast<int>(std::bit_width(instances.size() - 1)));
  std::string ports = fmt::format("    input [{}:0] INSTANCE", index - 1), body, show;
  for (const auto& pin : dsp48e2_input_pins)
    ports += fmt::format(",\n    input {}{}", range(pin.width), pin.name);
  for (const auto& pin : dsp48e2_output_pins) {
    ports += fmt::format(",\n    output {}{}", range(pin.width), pin.name);
    body +=
        fmt::format("  wire {}{}_of [0:{}];\n", range(pin.width), pin.name, instances.size() - 1);
    show += fmt::format("  assign {0} = {0}_of[INSTANCE];\n", pin.name);
  }
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const ir::Kind kind = instances[i].kind;
    body += fmt::format("  {} #({}) u{} (", ir::prototype(kind).name,
                        verilog_parameters(instances[i]), i);
    for (const auto& pin : ir::dsp_output_pins(kind))
      body += fmt::format(".{0}({0}_of[{1}]), ", pin.name, i);
    const char* comma = "";
    for (const auto& pin : ir::dsp_input_pins(kind)) {
      body += pin.width == 1 ? fmt::format("{0}.{1}({1})", comma, pin.name)
                             : fmt::format("{0}.{1}({1}[{2}:0])", comma, pin.name, pin.width - 1);
      comma = ", ";
    }
    body += ");\n";
    if (kind == ir::Kind::dsp48e1) body += fmt::format("  assign XOROUT_of[{}] = 8'd0;\n", i);
  }
  body += "  wire unused = &{1'b0, D, OPMODE};\n";
  return fmt::format("`timescale 1ps / 1ps\nmodule bench (\n{}\n);\n{}{}endmodule\n", ports, body,
                     show);
}

using Words = std::vector<std::uint64_t>;

void save(const std::string& path, const Words& words) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(words.size() * 8));
  if (!file.flush()) throw FileError(code::file_not_written, "cannot write " + path);
}

Words load(const std::string& path, std::size_t count) {
  Words words(count);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(count * 8));
  if (!file || file.peek() != std::ifstream::traits_type::eof())
    throw FileError(code::tool_answer, "not the expected number of answers in " + path);
  return words;
}

}  // namespace

VerilatedDsp48e2::VerilatedDsp48e2(const std::vector<ir::Dsp48e2Attributes>& instances,
                                   std::string folder)
    : folder_(std::move(folder)) {
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  write_text(folder_ + "/bench.v", bench(instances));
  std::string models = KUMIKI_TEST_DIR "/../templates/primitives";
  std::string driver = KUMIKI_TEST_DIR "/support/dsp48e2_driver.cc";
  run_tool(fmt::format("verilator --cc --exe --build -j 2 -Wall --x-assign fast --output-split 0 "
                       "--top-module bench "
                       "-CFLAGS -O1 -MAKEFLAGS 'OPT_FAST=-O1 OPT_SLOW=-O0' "
                       "--Mdir '{0}/obj' -o bench -y '{1}' '{0}/bench.v' '{2}'",
                       folder_, models, driver),
           folder_ + "/verilator.log");
}

std::vector<std::vector<Dsp48e2Sample>> VerilatedDsp48e2::run(
    const std::vector<Dsp48e2Run>& runs) const {
  Words stimulus;
  std::size_t samples = 0;
  for (const auto& r : runs) {
    stimulus.insert(stimulus.end(), {r.instance, r.inputs.size()});
    for (const auto& in : r.inputs)
      for (const auto& pin : dsp48e2_input_pins)
        if (pin.member != nullptr) stimulus.push_back(in.*pin.member);
    samples += 2 * r.inputs.size();
  }
  save(folder_ + "/stimulus", stimulus);
  run_tool(fmt::format("'{0}/obj/bench' '{0}/stimulus' '{0}/answers'", folder_),
           folder_ + "/run.log");
  Words answers = load(folder_ + "/answers", samples * dsp48e2_output_pins.size());
  auto word = answers.begin();
  auto read = [&](ir::Dsp48e2Outputs& out) {
    for (const auto& pin : dsp48e2_output_pins) out.*pin.member = *word++;
  };
  std::vector<std::vector<Dsp48e2Sample>> all;
  for (const auto& r : runs) {
    auto& of_run = all.emplace_back(r.inputs.size());
    for (auto& sample : of_run) {
      read(sample.before);
      read(sample.after);
    }
  }
  return all;
}

}  // namespace kumiki::tests
