// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/verilog_netlist.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "backends/emit/verilog/verilog.h"
#include "backends/support/file.h"
#include "backends/support/tool.h"
#include "ir/error.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> used_primitives(const ir::Design& design) {
  std::array<bool, ir::kind_count> used{};
  for (ir::ModuleId id : design.bottom_up())
    for (const ir::Cell& cell : design.module(id).cells())
      used[static_cast<unsigned>(cell.kind)] = true;
  std::vector<std::string> names;
  for (unsigned k = 0; k < ir::kind_count; ++k) {
    auto kind = static_cast<ir::Kind>(k);
    if (used[k] && kind != ir::Kind::instance && kind != ir::Kind::memory)
      names.emplace_back(ir::prototype(kind).name);
  }
  return names;
}

std::string slice(const ir::PortSlot& port) {
  return fmt::format("[{}:{}]", 64 * port.limb + port.width - 1, 64 * port.limb);
}

// A vector has at least one limb, whatever the ports.
std::uint32_t high_bit(std::uint32_t limbs) { return 64 * std::max(limbs, 1u) - 1; }

std::string assign_zero(std::uint32_t high, std::uint32_t low) {
  return fmt::format("  assign out[{}:{}] = {}'d0;", high, low, high - low + 1);
}

}  // namespace

VerilogNetlist verilog_netlist(const ir::Design& design) {
  ir::Names names(design);
  OutputSet files;
  auto written = write_verilog(names, files);
  VerilogNetlist netlist{.top = std::string(names.module(design.top_id())),
                         .ports = written_ports(names),
                         .has_clock = design.top().find_port(ir::clock_port) != nullptr,
                         .has_fast_clock = ir::has_fast_clock(design.top()),
                         .primitives = used_primitives(design)};
  for (const auto& name : written)
    netlist.sources.push_back({name, std::string(files.find(name)->text.view())});
  return netlist;
}

ir::PortLayout written_ports(const ir::Names& names) {
  const ir::Module& top = names.design().top();
  const auto& in_top = names.in(names.design().top_id());
  auto ports = ir::layout(top);
  // The writer may have changed a port's name: the harness connects by written names.
  std::size_t input = 0, output = 0;
  for (std::uint32_t i = 0; i < top.ports().size(); ++i) {
    const ir::Port& port = top.ports()[i];
    if (port.direction == ir::Direction::output)
      ports.outputs[output++].name = to_string(in_top.name(i));
    else if (!ir::is_clock_port(names.design().text(port.name)))
      ports.inputs[input++].name = to_string(in_top.name(i));
  }
  return ports;
}

std::vector<VerilogSource> primitive_models(const std::vector<std::string>& primitives) {
  const bool holds_dsp48e2 = std::ranges::count(primitives, "DSP48E1") != 0 &&
                             std::ranges::count(primitives, "DSP48E2") == 0;
  std::vector<VerilogSource> models;
  const auto add = [&](std::string_view name) {
    auto path = fmt::format("primitives/{}.v", name);
    models.push_back({path, std::string(templates::text(path))});
  };
  for (const auto& name : primitives) add(name);
  if (holds_dsp48e2) add("DSP48E2");
  return models;
}

std::string bench_module(const VerilogNetlist& netlist) {
  const auto& ports = netlist.ports;
  std::vector<std::string> connections, assigns;
  if (netlist.has_clock) connections.push_back(fmt::format("      .{0}(clk)", ir::clock_port));
  if (netlist.has_fast_clock)
    connections.push_back(fmt::format("      .{0}(clk2x)", ir::fast_clock_port));
  for (const auto& p : ports.inputs)
    connections.push_back(fmt::format("      .{}(frame{})", p.name, slice(p)));
  for (const auto& p : ports.outputs) {
    connections.push_back(fmt::format("      .{}(out{})", p.name, slice(p)));
    if (p.width % 64 != 0)
      assigns.push_back(assign_zero(64 * (p.limb + p.limbs()) - 1, 64 * p.limb + p.width));
  }
  if (ports.outputs.empty()) assigns.push_back(assign_zero(63, 0));
  return fill(templates::text("harness/bench.v.in"),
              {{"FAST_CLOCK", netlist.has_fast_clock ? "    input wire clk2x,\n" : ""},
               {"IN_HIGH", std::to_string(high_bit(ports.input_limbs))},
               {"OUT_HIGH", std::to_string(high_bit(ports.output_limbs))},
               {"TOP", netlist.top},
               {"ASSIGNS", fmt::format("{}", fmt::join(assigns, "\n"))},
               {"CONNECTIONS", fmt::format("{}", fmt::join(connections, ",\n"))}});
}

std::vector<Filling> clock_fillings(bool has_fast_clock) {
  if (!has_fast_clock)
    return {{"SETTLE", "#5000;"}, {"FAST_RISES", ""}, {"FAST_FALLS", ""}, {"HIGH", "5000"}};
  return {{"SETTLE", "#2500 clk2x = 1;\n      #2500 clk2x = 0;\n      #2500;"},
          {"FAST_RISES", " clk2x = 1;"},
          {"FAST_FALLS", " clk2x = 0;"},
          {"HIGH", "2500"}};
}

std::vector<std::string> write_sources(const std::vector<VerilogSource>& sources,
                                       const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& source : sources) {
    write_file(folder / source.name, source.text);
    names.push_back(source.name);
  }
  return names;
}

}  // namespace kumiki::backends
