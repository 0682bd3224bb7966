// SPDX-License-Identifier: Apache-2.0
// A design as Yosys' own JSON: cells stay cells, primitives are black boxes, vector cells are
// written element by element. Yosys reads it many times faster than the Verilog of the same
// netlist.
#pragma once
#include <map>
#include <string>

#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

std::string yosys_json(const ir::Names& names);

struct YosysCount {
  std::string version;
  std::map<std::string, std::uint64_t> cells;  // of the whole design, by primitive
};

// Yosys' count after `hierarchy -check; check -assert`. ToolError if Yosys is missing or reports an
// error.
YosysCount count_with_yosys(const ir::Names& names);

}  // namespace kumiki::backends
