// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/interfaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "backends/emit/project/header.h"
#include "gen/flow/axi_stream/ports.h"

namespace kumiki::gen::axi_stream {
namespace {

using backends::BusInterface;
using Kind = BusInterface::Kind;
using Widths = std::map<std::string, std::uint32_t>;  // of logical names

// TDATA_NUM_BYTES and the other parameters that a block design needs.
void describe_stream(BusInterface& bus, const Widths& widths) {
  const auto has = [&](const char* signal) { return widths.contains(signal) ? "1" : "0"; };
  const auto width = [&](const char* signal) {
    const auto at = widths.find(signal);
    return at == widths.end() ? 0 : at->second;
  };
  bus.parameters = {{"TDATA_NUM_BYTES", fmt::format("{}", width("TDATA") / 8)},
                    {"TDEST_WIDTH", "0"},
                    {"TID_WIDTH", "0"},
                    {"TUSER_WIDTH", fmt::format("{}", width("TUSER"))},
                    {"HAS_TREADY", has("TREADY")},
                    {"HAS_TSTRB", "0"},
                    {"HAS_TKEEP", has("TKEEP")},
                    {"HAS_TLAST", has("TLAST")}};
}

// The read channels exist, and sometimes those of writes.
void describe_memory(BusInterface& bus, const Widths& widths, const char* protocol) {
  bus.address_bits = widths.at("ARADDR");
  bus.data_bits = widths.at("RDATA");
  bus.parameters = {{"PROTOCOL", protocol},
                    {"READ_WRITE_MODE", widths.contains("AWADDR") ? "READ_WRITE" : "READ_ONLY"},
                    {"DATA_WIDTH", fmt::format("{}", bus.data_bits)},
                    {"ADDR_WIDTH", fmt::format("{}", bus.address_bits)}};
}

bool is_standard(const Widths& widths) {
  const auto data = widths.find("TDATA"), keep = widths.find("TKEEP");
  if (!widths.contains("TVALID") || data == widths.end() || data->second % 8 != 0) return false;
  return keep == widths.end() || keep->second == data->second / 8;
}

// The buses of one layer, the reset first, then in the order of their first ports.
class LayerBuses {
 public:
  explicit LayerBuses(const BuiltLayer& layer) : layer_(layer) {
    for (const auto* slots : {&layer.ports.inputs, &layer.ports.outputs})
      for (const ir::PortSlot& slot : *slots) add(slot);
  }
  std::vector<BusInterface> all() && {
    std::vector<BusInterface> kept;
    for (auto& [bus, widths] : buses_) {
      if (bus.kind == Kind::stream) {
        if (!is_standard(widths)) continue;
        describe_stream(bus, widths);
      } else if (bus.kind == Kind::memory) {
        describe_memory(bus, widths, "AXI4");
      } else {
        describe_memory(bus, widths, "AXI4LITE");
        for (const HostRegister& r : layer_.layer->layer->facts().registers)
          bus.registers.push_back({r.name, r.offset, r.text});
      }
      kept.push_back(std::move(bus));
    }
    if (!kept.empty() && interrupt_) kept.push_back(std::move(*interrupt_));
    if (!kept.empty() && reset_) kept.insert(kept.begin(), std::move(*reset_));
    return kept;
  }

 private:
  void add(const ir::PortSlot& slot) {
    const std::string port = fmt::format("{}_{}", layer_.layer->name, slot.name);
    if (slot.name == "interrupt") {
      interrupt_ = {.kind = Kind::interrupt,
                    .name = port,
                    .is_master = true,
                    .signals = {{"INTERRUPT", port}},
                    .parameters = {{"SENSITIVITY", "LEVEL_HIGH"}}};
      return;
    }
    if (slot.name == reset_port || slot.name == "rst") {
      reset_ = {
          .kind = Kind::reset,
          .name = port,
          .signals = {{"RST", port}},
          .parameters = {{"POLARITY", slot.name == reset_port ? "ACTIVE_LOW" : "ACTIVE_HIGH"}}};
      return;
    }
    const auto kind = kind_of(slot.name);
    if (!kind) return;
    const auto at = port.rfind('_');
    // tdata is TDATA in the standard's tables
    const std::string signal = backends::in_capitals(port.substr(at + 1));
    auto& [bus, widths] = of(port.substr(0, at), *kind);
    bus.is_master = slot.name.starts_with("m_");
    bus.signals.push_back({signal, port});
    widths.emplace(signal, slot.width);
  }
  static std::optional<Kind> kind_of(const std::string& name) {
    if (name.starts_with("s_axis_") || name.starts_with("m_axis_")) return Kind::stream;
    if (name.starts_with("s_axi_")) return Kind::registers;
    if (name.starts_with("m_axi_")) return Kind::memory;
    return {};
  }
  std::pair<BusInterface, Widths>& of(const std::string& name, Kind kind) {
    for (auto& known : buses_)
      if (known.first.name == name) return known;
    return buses_.emplace_back(BusInterface{.kind = kind, .name = name}, Widths());
  }

  const BuiltLayer& layer_;
  std::vector<std::pair<BusInterface, Widths>> buses_;
  std::optional<BusInterface> reset_, interrupt_;
};

BusInterface clock(std::string_view port) {
  return {.kind = Kind::clock, .name = std::string(port), .signals = {{"CLK", std::string(port)}}};
}

}  // namespace

std::vector<BusInterface> bus_interfaces(const BuiltNetwork& network, const ir::Module& top) {
  std::vector<BusInterface> all{clock(ir::clock_port)};
  if (ir::has_fast_clock(top)) {
    all.push_back(clock(ir::fast_clock_port));
    all.back().description =
        fmt::format("twice the frequency of {}, in phase with it", ir::clock_port);
  }
  const std::size_t clocks = all.size();
  std::vector<std::string> buses, resets;
  for (const BuiltLayer& l : network.layers)
    for (BusInterface& bus : LayerBuses(l).all()) {
      if (bus.kind != Kind::interrupt)
        (bus.kind == Kind::reset ? resets : buses).push_back(bus.name);
      all.push_back(std::move(bus));
    }
  if (all.size() == clocks) return {};
  all[0].parameters = {{"ASSOCIATED_BUSIF", fmt::format("{}", fmt::join(buses, ":"))},
                       {"ASSOCIATED_RESET", fmt::format("{}", fmt::join(resets, ":"))}};
  return all;
}

}  // namespace kumiki::gen::axi_stream
