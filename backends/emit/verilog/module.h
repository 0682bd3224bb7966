// SPDX-License-Identifier: Apache-2.0
// One module as structural Verilog-2001.
#pragma once
#include "backends/emit/verilog/memory.h"
#include "backends/emit/verilog/verilog.h"
#include "backends/support/text.h"
#include "ir/names.h"

namespace kumiki::backends::verilog {

void write_module(Text& out, const ir::Names& names, ir::ModuleId id, const MemoryModules& memories,
                  std::span<const PortAttribute> attributes = {});

}  // namespace kumiki::backends::verilog
