// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/edited.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "backends/formal/messages.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"
#include "ir/machine.h"

namespace kumiki::backends::proof {
namespace {

using Json = nlohmann::json;
const Tool yosys{"yosys", "yosys"};

// A file name for a script of Yosys, without characters that could end a word there.
std::string safe(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '_';
  return name.empty() ? "netlist.v" : name;
}

std::string reads(const std::vector<VerilogSource>& sources, const std::filesystem::path& folder) {
  std::string all;
  for (const auto& name : write_sources(sources, folder))
    all += fmt::format("read_verilog{} {}; ", name.ends_with(".sv") ? " -sv" : "", name);
  return all;
}

// A port as the module declares it.
std::string port_text(bool is_output, std::size_t width, const std::string& name) {
  return fmt::format("{} {}{}", is_output ? "output" : "input",
                     width > 1 ? fmt::format("[{}:0] ", width - 1) : "", name);
}

// Proofs support one clock, on its rising edge. They would misinterpret other registers and
// undriven nets.
void require_plain(const std::vector<VerilogSource>& sources, const std::string& top,
                   const std::vector<std::string>& edited, unsigned seconds) {
  const TemporaryFolder folder;
  run_tool(yosys,
           {.arguments = {"-q", "-p",
                          fmt::format("{}hierarchy -check -top {}; proc; select {}; check -assert; "
                                      "select *; flatten; opt_clean; memory_map; select *; "
                                      "write_json flat.json",
                                      reads(sources, folder.path()), top, fmt::join(edited, " "))},
            .directory = folder.path(),
            .seconds = seconds},
           fmt::format("read {}", top));
  const auto flat = Json::parse(read_file(folder.path() / "flat.json"))["modules"][top];
  const auto& ports = flat["ports"];
  const Json clock =
      ports.contains(ir::clock_port) ? ports[std::string(ir::clock_port)]["bits"] : Json::array();
  for (const auto& [name, cell] : flat["cells"].items()) {
    const auto type = cell["type"].get<std::string>();
    const auto& pins = cell["connections"];
    const bool clocked = pins.contains("CLK");
    const bool rising = clocked && pins["CLK"] == clock &&
                        cell["parameters"].value("CLK_POLARITY", std::string("1")).ends_with('1');
    const bool immediate = pins.contains("ARST") || pins.contains("ALOAD") ||
                           pins.contains("SET") || type.find("latch") != std::string::npos ||
                           type == "$sr";
    if ((!clocked || rising) && !immediate) continue;
    throw DesignError(
        code::edited_clock,
        fmt::format(
            "{}: a register ({}) is not clocked by the rising edge of {} alone; use one clock and "
            "synchronous resets",
            cell["attributes"].value("src", name), type, ir::clock_port));
  }
}

}  // namespace

Edited::Edited(const ir::Names& built, const std::vector<VerilogSource>& files, unsigned seconds)
    : built_(built), netlist_(verilog_netlist(built.design())) {
  std::vector<VerilogSource> named;
  for (const auto& f : files) {
    files_ += (files_.empty() ? "" : ", ") + f.name;
    // Two files with the same name stay two files.
    named.push_back(
        {named.empty() ? safe(f.name) : fmt::format("{}/{}", named.size(), safe(f.name)), f.text});
  }
  edited_ = read(named, seconds);
  require_known();
  for (ir::ModuleId id : built_.bottom_up()) require_ports(id);
  collect_sources(named);
}

std::map<std::string, Edited::Module> Edited::read(const std::vector<VerilogSource>& files,
                                                   unsigned seconds) const {
  const TemporaryFolder folder;
  run_tool(
      yosys,
      {.arguments = {"-q", "-p", reads(files, folder.path()) + "proc; write_json modules.json"},
       .directory = folder.path(),
       .seconds = seconds},
      fmt::format("read {}", files_));
  std::map<std::string, Module> all;
  const auto json = Json::parse(read_file(folder.path() / "modules.json"));
  for (const auto& [name, module] : json["modules"].items()) {
    Module& m = all[name];
    for (const auto& [port, what] : module["ports"].items())
      m.ports[port] = {what["direction"] == "output", what["bits"].size()};
    for (const auto& [cell, what] : module["cells"].items())
      m.contents.insert(what["type"].get<std::string>());
  }
  return all;
}

// Every module must be in the netlist, or be used by one that is.
void Edited::require_known() const {
  std::set<std::string> ours, wanted;
  for (const auto& s : netlist_.sources) ours.insert(s.name.substr(0, s.name.size() - 2));
  std::vector<std::string> open, names;
  for (const auto& [name, m] : edited_) {
    names.push_back(name);
    if (ours.contains(name)) open.push_back(name);
  }
  std::vector<std::string> others;
  for (const auto& name : ours)
    if (name != netlist_.top) others.push_back(name);
  const auto legal = fmt::format("modules of the netlist are {} (the top) and {}", netlist_.top,
                                 fmt::join(others, ", "));
  if (open.empty())
    throw DesignError(
        code::edited_modules,
        fmt::format("{}: {} is not a module of this netlist; {}", files_,
                    names.empty() ? "what is there" : fmt::format("{}", fmt::join(names, ", ")),
                    legal));
  while (!open.empty()) {
    const auto name = open.back();
    open.pop_back();
    if (!wanted.insert(name).second) continue;
    for (const auto& type : edited_.at(name).contents) {
      if (edited_.contains(type)) open.push_back(type);
      if (edited_.contains(type) || ours.contains(type) || type.starts_with('$') ||
          ir::find_prototype(type))
        continue;
      throw DesignError(
          code::edited_modules,
          fmt::format("{}: module {} has an instance of {}, which is neither a module there nor a "
                      "primitive that is known here: {}",
                      files_, name, type, legal));
    }
  }
  for (const auto& name : names)
    if (!wanted.contains(name))
      throw DesignError(
          code::edited_modules,
          fmt::format("{}: module {} is not of the netlist, and no module there uses it: {}",
                      files_, name, legal));
}

void Edited::require_ports(ir::ModuleId id) const {
  const std::string name(built_.module(id));
  const auto found = edited_.find(name);
  if (found == edited_.end()) return;
  auto left = found->second.ports;
  std::vector<std::string> wrong;
  const auto ports = built_.design().module(id).ports();
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const auto port = to_string(built_.in(id).name(i));
    const bool is_output = ports[i].direction == ir::Direction::output;
    const auto it = left.find(port);
    const bool same =
        it != left.end() && it->second.is_output == is_output && it->second.width == ports[i].width;
    if (!same)
      wrong.push_back(fmt::format(
          "{} {}", port_text(is_output, ports[i].width, port),
          it == left.end()
              ? "is missing"
              : "is required, not " + port_text(it->second.is_output, it->second.width, port)));
    if (it != left.end()) left.erase(it);
  }
  for (const auto& [port, what] : left)
    wrong.push_back(port_text(what.is_output, what.width, port) + " must go");
  if (!wrong.empty())
    throw DesignError(code::ports_differ,
                      fmt::format("{}: module {} has other ports than the netlist; {}", files_,
                                  name, fmt::join(wrong, "; ")));
}

// Collects the user's modules, our modules that the user does not define, and our models of
// primitives that nobody defines.
void Edited::collect_sources(const std::vector<VerilogSource>& files) {
  std::set<std::string> primitives(netlist_.primitives.begin(), netlist_.primitives.end());
  for (const auto& [name, m] : edited_)
    for (const auto& type : m.contents)
      if (ir::find_prototype(type)) primitives.insert(type);
  std::erase_if(primitives, [&](const auto& p) { return edited_.contains(p); });
  sources_ = primitive_models({primitives.begin(), primitives.end()});
  for (const auto& s : netlist_.sources)
    if (!edited_.contains(s.name.substr(0, s.name.size() - 2))) sources_.push_back(s);
  sources_.insert(sources_.end(), files.begin(), files.end());
}

bool Edited::is_changed(ir::ModuleId id) const {
  if (edited_.contains(std::string(built_.module(id)))) return true;
  const ir::Module& m = built_.design().module(id);
  return std::ranges::any_of(
      m.instances(), [&](ir::CellId c) { return is_changed(ir::ModuleId{m.cell(c).params}); });
}

std::optional<Gates> Edited::gates(const Part& part) const {
  const bool by_top = edited_.contains(netlist_.top);
  if (!by_top && !is_changed(part.module)) return std::nullopt;
  const std::string top = by_top ? netlist_.top : std::string(built_.module(part.module));
  std::vector<std::string> edited;
  for (const auto& [name, m] : edited_) edited.push_back(name);
  return [=, this](unsigned seconds, const Inside& inside) {
    require_plain(sources_, top, edited, seconds);
    Circuit all = circuit_of(sources_, top, seconds, inside);
    if (!by_top) return all;
    std::set<std::string> ports;
    for (const auto& p : built_.design().module(part.module).ports())
      ports.insert(std::string(built_.design().text(p.name)));
    return part_of_top(all, top, part.layer, ports);
  };
}

Circuit part_of_top(const Circuit& top, const std::string& name, const std::string& layer,
                    const std::set<std::string>& ports) {
  // The layer's port for this port of the top; empty for a port of another layer.
  const auto own = [&](const std::string& port) -> std::string {
    if (port == ir::clock_port) return ports.contains(port) ? port : "";
    const auto rest = port.starts_with(layer + "_") ? port.substr(layer.size() + 1) : "";
    return ports.contains(rest) ? rest : "";
  };
  const auto& leaves = top.aig.inputs();
  const auto first_latch = top.inputs.size();
  std::vector<std::size_t> latch_of(top.aig.size(), ~std::size_t{0});
  for (std::size_t i = 0; i < top.latches(); ++i) latch_of[leaves[first_latch + i]] = i;
  // Find the nodes on which the outputs depend, through registers.
  std::vector<bool> wanted(top.aig.size(), false);
  std::vector<std::uint32_t> open;
  const auto want = [&](Literal l) {
    if (!wanted[l >> 1]) wanted[l >> 1] = true, open.push_back(l >> 1);
  };
  for (std::size_t o = 0; o < top.outputs.size(); ++o)
    if (!own(top.outputs[o].port).empty()) want(top.output_values[o]);
  while (!open.empty()) {
    const auto n = open.back();
    open.pop_back();
    if (n == 0) continue;
    if (latch_of[n] != ~std::size_t{0})
      want(top.next[latch_of[n]]);
    else if (!top.aig.is_input(n))
      want(top.aig.node(n).a), want(top.aig.node(n).b);
  }
  Circuit part;
  std::vector<Literal> is(top.aig.size(), zero);
  // Nodes whose leaves are all kept, including nodes of nets beside the path to the outputs.
  std::vector<bool> there(top.aig.size(), false);
  there[0] = true;
  const auto keep = [&](std::uint32_t n) { is[n] = part.aig.add_input(), there[n] = true; };
  for (std::size_t i = 0; i < first_latch; ++i) {
    const auto mine = own(top.inputs[i].port);
    if (mine.empty() && !wanted[leaves[i]]) continue;
    keep(leaves[i]);
    part.inputs.push_back({mine.empty() ? fmt::format("{}.{}", name, top.inputs[i].port) : mine,
                           top.inputs[i].index});
  }
  for (std::size_t i = 0; i < top.latches(); ++i)
    if (wanted[leaves[first_latch + i]]) keep(leaves[first_latch + i]);
  const auto now = [&](Literal l) { return is[l >> 1] ^ (l & 1); };
  for (std::uint32_t n = 1; n < top.aig.size(); ++n) {
    const auto& node = top.aig.node(n);
    if (top.aig.is_input(n) || !there[node.a >> 1] || !there[node.b >> 1]) continue;
    there[n] = true;
    is[n] = part.aig.both(now(node.a), now(node.b));
  }
  for (std::size_t i = 0; i < top.latches(); ++i)
    if (wanted[leaves[first_latch + i]]) part.next.push_back(now(top.next[i]));
  for (std::size_t o = 0; o < top.outputs.size(); ++o) {
    const auto mine = own(top.outputs[o].port);
    if (mine.empty()) continue;
    part.outputs.push_back({mine, top.outputs[o].index});
    part.output_values.push_back(now(top.output_values[o]));
  }
  for (std::size_t i = 0; i < top.nets.size(); ++i)
    if (there[top.net_values[i] >> 1]) {
      part.nets.push_back(top.nets[i]);
      part.net_values.push_back(now(top.net_values[i]));
    }
  return part;
}

}  // namespace kumiki::backends::proof
