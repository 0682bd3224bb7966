// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/yosys/mapped.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/text.h"

namespace kumiki::backends {
namespace {

using nlohmann::json;

// Writes the module in the text form of designs: pins and parameters keep their names.
class Mapped {
 public:
  explicit Mapped(const json& module) : module_(module) {}

  std::string text(ir::Family family) {
    for (const auto& [name, cell] : module_["cells"].items()) number(cell);
    std::string cells;
    for (const auto& [name, cell] : module_["cells"].items()) cells += line(cell);
    for (const auto& [name, port] : module_["ports"].items())
      if (port["direction"] == "output") outputs(port["bits"]);
    std::string text =
        fmt::format("design {} top mapped\nmodule mapped\n", ir::family_name(family));
    // Nets without a driver here come from outside: ports, and cells that were left out.
    std::size_t i = 0;
    for (const std::uint32_t net : read_)
      if (!driven_.contains(net)) text += fmt::format("  input i{} = %{}\n", i++, net);
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      text += fmt::format("  output o{} = {}\n", o, outputs_[o]);
    return text + cells;
  }

 private:
  static const ir::Prototype* prototype(const json& cell) {
    const std::string type = cell["type"];
    return ir::find_prototype(type == "INV" ? "LUT1" : type);
  }

  // Our cells drive consecutive nets, in the order of the table.
  void number(const json& cell) {
    const ir::Prototype* proto = prototype(cell);
    if (proto == nullptr) return;
    for (const ir::Pin& pin : proto->outputs) {
      const auto bits = cell["connections"].find(std::string(pin.name));
      for (std::uint32_t b = 0; b < pin.width; ++b, ++next_)
        if (bits != cell["connections"].end() && b < bits->size() && (*bits)[b].is_number()) {
          nets_[(*bits)[b]] = next_;
          driven_.insert(next_);
        }
    }
  }

  std::string net(const json& bit) {
    if (!bit.is_number()) return bit == "1" ? "1" : "0";
    const auto [at, is_new] = nets_.try_emplace(bit.get<std::uint32_t>(), next_);
    next_ += is_new;
    read_.insert(at->second);
    return fmt::format("%{}", at->second);
  }

  void outputs(const json& bits) {
    for (const json& bit : bits) outputs_.push_back(net(bit));
  }

  std::string line(const json& cell) {
    const ir::Prototype* proto = prototype(cell);
    const json& pins = cell["connections"];
    if (proto == nullptr) {
      for (const auto& [pin, bits] : pins.items())
        if (cell["port_directions"][pin] == "input") outputs(bits);
      return {};
    }
    std::uint32_t width = 0;
    for (const ir::Pin& pin : proto->outputs) width += pin.width;
    std::string text = fmt::format("  %{}", first_);
    if (width > 1) text += fmt::format("..{}", first_ + width - 1);
    first_ += width;
    text += fmt::format(" = {}", proto->name);
    for (const ir::Pin& pin : proto->inputs) {
      // An inverter's input is named I.
      const std::string name(cell["type"] == "INV" ? "I" : pin.name);
      if (!pins.contains(name)) continue;
      text += fmt::format(" {}=", pin.name);
      for (std::size_t b = 0; b < pins[name].size(); ++b)
        text += (b == 0 ? "" : ",") + net(pins[name][b]);
    }
    if (cell["type"] == "INV") return text + " INIT=0x1\n";
    for (const ir::Param& param : proto->params)
      if (const auto value = cell["parameters"].find(std::string(param.name));
          value != cell["parameters"].end() && param.type == ir::Param::Type::bits)
        text += fmt::format(" {}=0x{:x}", param.name, number_of(*value));
    return text + '\n';
  }

  // Digits with bit 0 last; unknown digits are 0.
  static std::uint64_t number_of(const std::string& digits) {
    std::uint64_t value = 0;
    for (const char c : digits) value = value << 1 | (c == '1');
    return value;
  }

  const json& module_;
  std::map<std::uint32_t, std::uint32_t> nets_;  // Yosys' numbers to ours
  std::uint32_t next_ = ir::first_free_net, first_ = ir::first_free_net;
  std::set<std::uint32_t> driven_, read_;
  std::vector<std::string> outputs_;
};

}  // namespace

std::unique_ptr<ir::Design> mapped_design(const std::string& yosys_json, const std::string& module,
                                          ir::Family family) {
  const json netlist = json::parse(yosys_json);
  return ir::parse(Mapped(netlist["modules"].at(module)).text(family), "mapped");
}

}  // namespace kumiki::backends
