// SPDX-License-Identifier: Apache-2.0
// Names for the elements of a path, as in the Verilog.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "backends/timing/paths.h"
#include "ir/names.h"

namespace kumiki::backends::timing {

class Labels {
 public:
  explicit Labels(const Netlist& netlist) : netlist_(netlist) {}

  std::string cell(std::uint32_t cell);         // "u_row_3/acc_reg"
  std::string kind(std::uint32_t cell) const;   // "FDRE"
  std::string place(std::uint32_t cell) const;  // "gen/hdl/lut.cpp:41"
  std::string step(const Step& step);           // its cell, or the port where it begins
  std::string end(const Endpoint& end);         // "u_row_3/acc_reg.D[3]"
  std::string pin(std::uint32_t cell, std::uint32_t offset) const;

 private:
  const ir::ModuleNames& names(ir::ModuleId module);
  std::string scope(std::uint32_t scope);

  const Netlist& netlist_;
  std::map<std::uint32_t, std::unique_ptr<ir::ModuleNames>> names_;  // by module
};

}  // namespace kumiki::backends::timing
