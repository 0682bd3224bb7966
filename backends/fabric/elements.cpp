// SPDX-License-Identifier: Apache-2.0
#include "backends/fabric/elements.h"

#include <algorithm>
#include <map>

#include "ir/primitives/memory.h"

namespace kumiki::backends::fabric {
namespace {

using ir::Kind;

class Reader {
 public:
  explicit Reader(Elements& to) : to_(to), netlist_(to.netlist) {}

  void read(std::uint32_t c) {
    const ir::Cell& cell = netlist_.cell(c);
    if (ir::is_lut(cell.kind)) return lut(c, cell);
    if (ir::is_flop(cell.kind)) return flops(c, cell);
    switch (cell.kind) {
      case Kind::carry4:
      case Kind::carry8:
        return to_.carries.push_back(c);
      case Kind::muxf7:
        return to_.muxf7.push_back(c);
      case Kind::muxf8:
        return to_.muxf8.push_back(c);
      case Kind::srl16e:
      case Kind::srlc32e:
        return shift_register(c, cell);
      case Kind::memory:
        return memory(c);
      default:
        return;
    }
  }

 private:
  std::uint32_t read_output(std::uint32_t net) const {
    return netlist_.fan_out[net] > 0 ? net : none;
  }

  std::uint32_t add(Lut lut) {
    const auto at = static_cast<std::uint32_t>(to_.luts.size());
    if (lut.o6 != none) to_.lut_of[lut.o6] = at;
    to_.luts.push_back(std::move(lut));
    return at;
  }

  void lut(std::uint32_t c, const ir::Cell& cell) {
    const auto pins = static_cast<std::uint32_t>(ir::prototype(cell.kind).inputs.size());
    for (std::uint32_t e = 0; e < cell.width; ++e) {
      Lut one{.o6 = read_output(netlist_.output(c, e))};
      if (cell.kind == Kind::lut6_2) one.o5 = read_output(netlist_.output(c, cell.width + e));
      for (std::uint32_t i = 0; i < pins; ++i)
        if (const auto net = netlist_.input(c, i * cell.width + e); net >= ir::first_free_net)
          one.inputs.push_back(net);
      std::sort(one.inputs.begin(), one.inputs.end());
      one.inputs.erase(std::unique(one.inputs.begin(), one.inputs.end()), one.inputs.end());
      add(std::move(one));
    }
  }

  std::uint32_t control(const Control& c) {
    const auto [at, is_new] =
        controls_.try_emplace(c, static_cast<std::uint32_t>(to_.controls.size()));
    if (is_new) to_.controls.push_back(c);
    return at->second;
  }

  std::uint32_t flop(std::uint32_t d, std::uint32_t control) {
    to_.flops.push_back({.d = d, .control = control});
    return static_cast<std::uint32_t>(to_.flops.size() - 1);
  }

  // Pins: C, CE, D of every element, R or S.
  void flops(std::uint32_t c, const ir::Cell& cell) {
    const auto shared =
        control({netlist_.input(c, 0), netlist_.input(c, 2 + cell.width), netlist_.input(c, 1)});
    for (std::uint32_t e = 0; e < cell.width; ++e) {
      const std::uint32_t d = netlist_.input(c, 2 + e);
      to_.flops_of[d].push_back(flop(d, shared));
    }
  }

  // Pins: address bits, CE, CLK, D of every element.
  void shift_register(std::uint32_t c, const ir::Cell& cell) {
    const std::uint32_t address = cell.kind == Kind::srl16e ? 4 : 5;
    const std::uint32_t enable = netlist_.input(c, address);
    Memory& memory = written(netlist_.input(c, address + 1), enable);
    for (std::uint32_t e = 0; e < cell.width; ++e)
      memory.shifts.push_back(add({.o6 = read_output(netlist_.output(c, e))}));
  }

  // Shift registers with the same clock and enable share slices.
  Memory& written(std::uint32_t clock, std::uint32_t enable) {
    const auto [at, is_new] = shifts_.try_emplace({clock, enable}, to_.memories.size());
    if (is_new) to_.memories.push_back({.clock = clock});
    return to_.memories[at->second];
  }

  // Every memory has separate write ports.
  void memory(std::uint32_t c) {
    const ir::CellView view = netlist_.view(c);
    const ir::Cost cost = ir::prototype(Kind::memory).cost(view);
    if (cost.lut_rams == 0) return;
    Memory memory{.clock = netlist_.input(c, 0),
                  .sites = cost.lut_rams,
                  .words_bits = view.params[ir::memory::depth] <= 32 ? 6u : 3u};
    const auto enable = static_cast<std::uint32_t>(2 + view.params[ir::memory::address_bits] +
                                                   view.params[ir::memory::width]);
    for (std::uint32_t i = 0; i < cost.ffs; ++i)
      memory.flops.push_back(
          flop(none, control({memory.clock, ir::net_zero.index, netlist_.input(c, enable)})));
    to_.memories.push_back(std::move(memory));
  }

  Elements& to_;
  const timing::Netlist& netlist_;
  std::map<Control, std::uint32_t> controls_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> shifts_;
};

}  // namespace

Elements::Elements(const timing::Netlist& of)
    : netlist(of), lut_of(of.driver.size(), none), flops_of(of.driver.size()) {
  Reader reader(*this);
  for (std::uint32_t c = 0; c < of.flat.cells.size(); ++c) reader.read(c);
}

}  // namespace kumiki::backends::fabric
