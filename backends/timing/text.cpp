// SPDX-License-Identifier: Apache-2.0
#include "backends/timing/text.h"

#include "ir/label.h"

namespace kumiki::backends::timing {

const ir::ModuleNames& Labels::names(ir::ModuleId module) {
  auto& known = names_[module.value];
  if (!known) known = std::make_unique<ir::ModuleNames>(netlist_.flat.design->module(module));
  return *known;
}

std::string Labels::scope(std::uint32_t s) {
  if (s == 0) return {};
  const native::Scope& here = netlist_.flat.scopes[s];
  const auto above = netlist_.flat.scopes[here.parent].module;
  return scope(here.parent) + to_string(names(above).cell(here.cell)) + "/";
}

std::string Labels::cell(std::uint32_t c) {
  const native::FlatCell at = netlist_.flat.cells[c];
  return scope(at.scope) + to_string(names(netlist_.flat.scopes[at.scope].module).cell(at.id));
}

std::string Labels::kind(std::uint32_t c) const {
  return std::string(ir::prototype(netlist_.cell(c).kind).name);
}

// Omits the layer of the configuration, which is the same for a whole path.
std::string Labels::place(std::uint32_t c) const {
  std::string text = to_string(netlist_.cell(c).place);
  return text.substr(0, text.find(" ("));
}

std::string Labels::pin(std::uint32_t c, std::uint32_t offset) const {
  return ir::input_label(netlist_.module(c), netlist_.cell(c), offset);
}

std::string Labels::step(const Step& step) {
  if (step.cell != none) return cell(step.cell);
  const native::Flat& flat = netlist_.flat;
  const ir::Module& top = flat.design->top();
  std::uint32_t bit = 0;
  for (const ir::Port& p : top.ports())
    if (p.direction == ir::Direction::input)
      for (ir::Net n : top.port_nets(p)) {
        if (flat.net(flat.scopes[0], n) == step.net)
          return ir::port_label(top, ir::Direction::input, bit);
        ++bit;
      }
  return {};
}

std::string Labels::end(const Endpoint& end) {
  if (end.cell == none)
    return ir::port_label(netlist_.flat.design->top(), ir::Direction::output, end.pin);
  return cell(end.cell) + "." + pin(end.cell, end.pin);
}

}  // namespace kumiki::backends::timing
