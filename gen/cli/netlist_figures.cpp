// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/netlist_figures.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kumiki::cli {
namespace {

using gen::compressor::DelayModel;
using gen::compressor::Timing;
using nlohmann::json;

void keep_later(Timing& t, const Timing& other) {
  if (other.picoseconds > t.picoseconds) t = other;
}

// Walks backwards from every net. A way begins at 0 at a driver that is not known to pass signals
// on.
class Walk {
 public:
  explicit Walk(const json& module) {
    for (const auto& [name, cell] : module["cells"].items())
      for (const auto& [port, bits] : cell["connections"].items())
        if (cell["port_directions"][port] == "output")
          for (std::size_t i = 0; i < bits.size(); ++i)
            if (bits[i].is_number()) driver_[bits[i]] = {&cell, port, i};
  }

  Timing worst() {
    Timing t;
    for (const auto& [net, driver] : driver_) keep_later(t, at(net));
    return t;
  }

 private:
  struct Driver {
    const json* cell;
    std::string port;
    std::size_t bit;
  };

  Timing at(const json& net) { return net.is_number() ? at(net.get<int>()) : Timing{}; }

  Timing at(int net) {
    auto known = known_.find(net);
    if (known != known_.end()) return known->second;
    auto d = driver_.find(net);
    Timing t = d == driver_.end() ? Timing{} : through(d->second);
    return known_[net] = t;
  }

  Timing through(const Driver& d) {
    const std::string type = (*d.cell)["type"];
    const json& in = (*d.cell)["connections"];
    if (type.starts_with("LUT") || type == "INV" || type.starts_with("MUXF")) {
      Timing t = inputs(*d.cell);
      t.picoseconds += type.starts_with("MUXF") ? DelayModel::mux : DelayModel::lut;
      t.levels += !type.starts_with("MUXF");
      return t;
    }
    return type.starts_with("CARRY") ? chain(in, d.bit, d.port == "CO") : Timing{};
  }

  Timing inputs(const json& cell) {
    Timing t;
    for (const auto& [port, bits] : cell["connections"].items())
      if (cell["port_directions"][port] == "input")
        for (const auto& b : bits) keep_later(t, at(b));
    return t;
  }

  // O and CO of a position: S and DI of the positions up to it, and the carry in. A carry from the
  // block below is in the chain already. Nothing passes a position whose S is 0.
  Timing chain(const json& in, std::size_t position, bool is_carry_out) {
    Timing t;
    std::size_t first = position + is_carry_out;
    while (first > 0 && !is_zero(in["S"][first - 1])) --first;
    if (first > 0 && in["DI"][first - 1].is_number()) {
      t = at(in["DI"][first - 1]);
      t.picoseconds += DelayModel::chain;
    }
    auto enter = [&](Timing from, std::size_t positions, bool outside) {
      from.picoseconds += static_cast<unsigned>(positions) * DelayModel::position +
                          (outside ? DelayModel::chain : 0);
      from.carry_bits += static_cast<unsigned>(positions);
      keep_later(t, from);
    };
    for (std::size_t i = first; i <= position; ++i)
      for (const char* port : {"S", "DI"})
        if (in[port][i].is_number()) enter(at(in[port][i]), position - i + 1, true);
    if (first > 0) return t;
    for (const char* port : {"CI", "CYINIT", "CI_TOP"})
      if (in.contains(port))
        for (const auto& b : in[port])
          if (b.is_number()) enter(at(b), position + 1, !is_carry(b));
    return t;
  }

  // Also O6 of a LUT6_2 that has a function for O5 alone: its upper half is 0 and I5 is 1.
  bool is_zero(const json& net) const {
    if (!net.is_number()) return net == "0";
    const auto d = driver_.find(net.get<int>());
    if (d == driver_.end() || d->second.port != "O6") return false;
    const json& cell = *d->second.cell;
    const std::string init = cell["parameters"]["INIT"];  // bit 63 first
    return cell["type"] == "LUT6_2" && cell["connections"]["I5"][0] == "1" &&
           init.find('1') >= init.size() / 2;
  }

  bool is_carry(const json& net) const {
    auto d = driver_.find(net.get<int>());
    return d != driver_.end() && (*d->second.cell)["type"].get<std::string>().starts_with("CARRY");
  }

  std::map<int, Driver> driver_;
  std::map<int, Timing> known_;
};

}  // namespace

NetlistFigures netlist_figures(const std::string& yosys_json, const std::string& module) {
  const auto netlist = json::parse(yosys_json);
  const json& top = netlist["modules"].at(module);
  NetlistFigures figures{.timing = Walk(top).worst(), .cells = {}};
  for (const auto& cell : top["cells"]) ++figures.cells[cell["type"]];
  return figures;
}

}  // namespace kumiki::cli
