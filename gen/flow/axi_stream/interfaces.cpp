// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/interfaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "gen/flow/axi_stream/ports.h"

namespace kumiki::gen::axi_stream {
namespace {

constexpr const char* info = "X_INTERFACE_INFO";
constexpr const char* parameter = "X_INTERFACE_PARAMETER";

class Interfaces {
 public:
  std::vector<PortAttribute> of(const BuiltNetwork& network) && {
    for (const BuiltLayer& l : network.layers) add_layer(l);
    if (buses_.empty()) return {};
    std::vector<PortAttribute> all{
        {std::string(ir::clock_port), info,
         fmt::format("xilinx.com:signal:clock:1.0 {} CLK", ir::clock_port)},
        {std::string(ir::clock_port), parameter,
         fmt::format("ASSOCIATED_BUSIF {}, ASSOCIATED_RESET {}", fmt::join(buses_, ":"),
                     fmt::join(resets_, ":"))}};
    all.insert(all.end(), ports_.begin(), ports_.end());
    return all;
  }

 private:
  void add_layer(const BuiltLayer& l) {
    const auto is_wrapped =
        std::ranges::find(l.ports.inputs, reset_port, &ir::PortSlot::name) != l.ports.inputs.end();
    if (!is_wrapped) return;
    for (const auto* slots : {&l.ports.inputs, &l.ports.outputs})
      for (const ir::PortSlot& p : *slots) add_port(fmt::format("{}_{}", l.layer->name, p.name), p);
  }

  void add_port(const std::string& port, const ir::PortSlot& slot) {
    if (slot.name == reset_port) {
      resets_.push_back(port);
      ports_.push_back({port, info, fmt::format("xilinx.com:signal:reset:1.0 {} RST", port)});
      ports_.push_back({port, parameter, "POLARITY ACTIVE_LOW"});
      return;
    }
    const bool is_stream = slot.name.starts_with("s_axis_") || slot.name.starts_with("m_axis_");
    const bool is_lite = slot.name.starts_with("s_axi_");
    if (!is_stream && !is_lite) return;
    const auto at = port.rfind('_');
    const std::string bus = port.substr(0, at);
    std::string signal = port.substr(at + 1);  // tdata, as the standard's tables have it: TDATA
    std::ranges::transform(signal, signal.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const bool is_new = std::ranges::find(buses_, bus) == buses_.end();
    if (is_new) buses_.push_back(bus);
    ports_.push_back({port, info,
                      fmt::format("xilinx.com:interface:{}:1.0 {} {}", is_lite ? "aximm" : "axis",
                                  bus, signal)});
    if (is_lite && is_new)
      ports_.push_back({port, parameter, "PROTOCOL AXI4LITE, READ_WRITE_MODE READ_ONLY"});
  }

  std::vector<PortAttribute> ports_;
  std::vector<std::string> buses_, resets_;
};

}  // namespace

std::vector<PortAttribute> interface_attributes(const BuiltNetwork& network) {
  return Interfaces().of(network);
}

}  // namespace kumiki::gen::axi_stream
