// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/interfaces.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::backends {

BusType bus_type(BusInterface::Kind kind) {
  switch (kind) {
    case BusInterface::Kind::stream:
      return {"interface", "axis"};
    case BusInterface::Kind::registers:
    case BusInterface::Kind::memory:
      return {"interface", "aximm"};
    case BusInterface::Kind::clock:
      return {"signal", "clock"};
    case BusInterface::Kind::interrupt:
      return {"signal", "interrupt"};
    default:
      return {"signal", "reset"};
  }
}

std::vector<PortAttribute> port_attributes(const std::vector<BusInterface>& interfaces) {
  std::vector<PortAttribute> all;
  for (const BusInterface& bus : interfaces) {
    const BusType type = bus_type(bus.kind);
    std::string parameters;
    for (const auto& [name, value] : bus.parameters)
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", name, value);
    for (const BusInterface::Signal& s : bus.signals) {
      all.push_back({s.port, "X_INTERFACE_INFO",
                     fmt::format("xilinx.com:{}:{}:1.0 {} {}", type.library, type.name, bus.name,
                                 s.logical)});
      if (&s == &bus.signals.front() && !parameters.empty())
        all.push_back({s.port, "X_INTERFACE_PARAMETER", parameters});
    }
  }
  return all;
}

}  // namespace kumiki::backends
