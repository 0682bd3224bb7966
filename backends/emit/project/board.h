// SPDX-License-Identifier: Apache-2.0
// An engine with the processing system of a board: a script for Vivado, and its device tree.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/project/interfaces.h"
#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

// Adds `<top>_board.tcl` and `<top>.dtsi` if the top has registers, a memory and an interrupt.
void write_board(const ir::Names& names, const std::vector<BusInterface>& interfaces,
                 OutputSet& out, const std::string& version, const std::string& generator);

}  // namespace kumiki::backends
