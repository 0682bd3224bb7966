// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/icarus/icarus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "backends/emit/messages.h"
#include "backends/sim/messages.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"
#include "ir/error.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

const Tool compiler{"iverilog", "iverilog"}, simulator{"vvp", "iverilog"};

// The vendor's file with the global reset.
fs::path find_glbl(const fs::path& unisim) {
  for (const fs::path& folder : {unisim, fs::absolute(unisim).lexically_normal() / ".."})
    if (fs::path file = folder / "glbl.v"; fs::is_regular_file(file)) return file;
  throw FileError(
      code::vendor_models,
      fmt::format("{}: glbl.v is neither there nor one level up: the vendor's models read "
                  "glbl.GSR of the module glbl",
                  unisim.string()));
}

void require_models(const fs::path& unisim, const std::vector<std::string>& primitives) {
  if (!fs::is_directory(unisim))
    throw FileError(code::vendor_models,
                    fmt::format("{} is not a folder; give that of the vendor's simulation models, "
                                "with one file for each primitive",
                                unisim.string()));
  std::vector<std::string> missing;
  for (const auto& name : primitives)
    if (!fs::is_regular_file(unisim / fmt::format("{}.v", name)))
      missing.push_back(fmt::format("{}.v", name));
  if (!missing.empty())
    throw FileError(code::vendor_models,
                    fmt::format("{}: no {}: the netlist has such cells, and the folder must hold "
                                "the vendor's simulation model of each in a file of that name",
                                unisim.string(), fmt::join(missing, ", ")));
}

std::string hex(const ir::Frame& frame) {
  if (frame.empty()) return "0\n";
  std::string text;
  for (auto limb = frame.rbegin(); limb != frame.rend(); ++limb)
    text += fmt::format("{:016x}", *limb);
  return text + "\n";
}

// A line of 0, 1, x and z, most significant first.
void parse(std::string_view line, ir::Frame& value, ir::Frame& unknown) {
  for (std::size_t bit = 0; bit < 64 * value.size(); ++bit) {
    char c = line[line.size() - 1 - bit];
    value[bit / 64] |= std::uint64_t{c == '1'} << (bit % 64);
    unknown[bit / 64] |= std::uint64_t{c != '1' && c != '0'} << (bit % 64);
  }
}

class Run {
 public:
  Run(const VerilogNetlist& netlist, std::span<const ir::Frame> stimulus,
      const IcarusOptions& options)
      : netlist_(netlist), stimulus_(stimulus), options_(options) {}

  IcarusRun operator()() {
    compile();
    std::string text;
    for (const auto& frame : stimulus_) text += hex(frame);
    write_file(folder_.path() / "stimulus.txt", text);
    auto said = run_tool(simulator,
                         {.arguments = {"-n", "simulation"},
                          .directory = folder_.path(),
                          .seconds = options_.seconds},
                         "simulate the netlist");
    return read(said);
  }

 private:
  void compile() {
    std::vector<VerilogSource> sources{main_module(), {"kumiki_bench.v", bench_module(netlist_)}};
    sources.insert(sources.end(), netlist_.sources.begin(), netlist_.sources.end());
    std::vector<std::string> arguments{"-g2012", "-o", "simulation", "-s", "kumiki_main"};
    std::vector<std::string> behind;
    if (options_.unisim.empty()) {
      auto models = primitive_models(netlist_.primitives);
      sources.insert(sources.end(), models.begin(), models.end());
    } else {
      require_models(options_.unisim, netlist_.primitives);
      auto folder = fs::absolute(options_.unisim).string();
      arguments.insert(arguments.end(), {"-s", "glbl", "-y", folder, "-I", folder});
      behind.push_back(fs::absolute(find_glbl(options_.unisim)).string());
    }
    auto names = write_sources(sources, folder_.path());
    arguments.insert(arguments.end(), names.begin(), names.end());
    arguments.insert(arguments.end(), behind.begin(), behind.end());
    run_tool(compiler, {.arguments = arguments, .directory = folder_.path()},
             "compile the netlist");
  }

  VerilogSource main_module() const {
    auto high = [](std::uint32_t limbs) { return std::to_string(64 * std::max(limbs, 1u) - 1); };
    auto fillings = clock_fillings(netlist_.has_fast_clock);
    fillings.insert(fillings.end(),
                    {{"FAST_REG", netlist_.has_fast_clock ? "clk2x, " : ""},
                     {"FAST_PIN", netlist_.has_fast_clock ? "      .clk2x(clk2x),\n" : ""},
                     {"IN_HIGH", high(netlist_.ports.input_limbs)},
                     {"OUT_HIGH", high(netlist_.ports.output_limbs)},
                     {"CYCLES", std::to_string(stimulus_.size())},
                     {"FIRST", first_seen()},
                     {"LAST", last_seen()}});
    return {"kumiki_main.v", fill(templates::text("harness/icarus.v.in"), fillings)};
  }

  // -1: no cycle.
  std::string first_seen() const {
    return options_.window ? std::to_string(options_.window->first) : "-1";
  }
  std::string last_seen() const {
    return options_.window ? std::to_string(options_.window->last) : "-1";
  }

  IcarusRun read(std::string_view said) const {
    auto text = read_file(folder_.path() / "outputs.txt");
    std::size_t length = 64 * std::max(netlist_.ports.output_limbs, 1u) + 1;
    if (text.size() != length * stimulus_.size())
      throw ToolError(code::tool_answer,
                      fmt::format("the simulation ended after {} of {} cycles:\n{}",
                                  text.size() / length, stimulus_.size(), relevant_lines(said)));
    ir::Frame zero(netlist_.ports.output_limbs);
    IcarusRun run;
    run.outputs.assign(stimulus_.size(), zero);
    run.unknown.assign(stimulus_.size(), zero);
    for (std::size_t i = 0; i < stimulus_.size(); ++i)
      parse(std::string_view(text).substr(i * length, length - 1), run.outputs[i], run.unknown[i]);
    if (options_.window) run.vcd = without_date(read_file(folder_.path() / "window.vcd"));
    return run;
  }

  const VerilogNetlist& netlist_;
  std::span<const ir::Frame> stimulus_;
  const IcarusOptions& options_;
  TemporaryFolder folder_;
};

}  // namespace

IcarusRun run_icarus(const VerilogNetlist& netlist, std::span<const ir::Frame> stimulus,
                     const IcarusOptions& options) {
  return Run(netlist, stimulus, options)();
}

void RecordedMachine::step(const ir::Frame& in, ir::Frame& out) {
  if (cycle_ >= stimulus_.size() || stimulus_[cycle_] != in)
    throw std::logic_error("a recorded run was asked for another stimulus than it was made with");
  out = run_.outputs[cycle_++];
}

}  // namespace kumiki::backends
