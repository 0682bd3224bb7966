// SPDX-License-Identifier: Apache-2.0
// Ports of the top that form one bus, clock, reset or interrupt in block designs, and their
// attributes in the Verilog.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backends/emit/verilog/verilog.h"

namespace kumiki::backends {

struct BusInterface {
  // AXI4-Stream; registers behind AXI4-Lite; a memory outside, which an AXI4 master reads.
  enum class Kind { stream, registers, memory, clock, reset, interrupt };
  struct Signal {
    std::string logical, port;  // TDATA, net_s_axis_in_tdata
  };
  // A readable word of 32 bits.
  struct Register {
    std::string name;
    std::int64_t offset = 0;  // in bytes
    std::string text = {};
  };

  Kind kind = Kind::stream;
  std::string name = {};
  bool is_master = false;
  std::vector<Signal> signals = {};
  std::vector<std::pair<std::string, std::string>> parameters = {};  // {"HAS_TLAST", "1"}
  std::string description = {};
  std::vector<Register> registers = {};
  std::uint32_t address_bits = 0, data_bits = 0;  // of registers and of a memory
};

// The type's name in block designs: {"interface", "axis"}.
struct BusType {
  std::string library, name;
};
BusType bus_type(BusInterface::Kind kind);

// X_INTERFACE_INFO for every port, X_INTERFACE_PARAMETER for the first one of an interface.
std::vector<PortAttribute> port_attributes(const std::vector<BusInterface>& interfaces);

}  // namespace kumiki::backends
