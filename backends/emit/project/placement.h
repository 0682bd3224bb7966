// SPDX-License-Identifier: Apache-2.0
// Relative placement for Vivado of cells whose dedicated wires fix their vertical order: cascades
// of DSP slices and carry chains.
#pragma once
#include <string>
#include <vector>

#include "backends/support/flat/flatten.h"
#include "ir/names.h"

namespace kumiki::backends {

struct Column {
  bool is_dsp = false;                  // otherwise carry blocks
  std::vector<native::FlatCell> cells;  // two or more, from the bottom up
};

// Columns may pass through the ports of modules. DSP slices come first, then each column in the
// order of its lowest cell. No cell is in two columns.
std::vector<Column> find_columns(const native::Flat& flat);

// XDC: a macro for every column; names cells by their paths below the top.
std::string write_placement(const ir::Names& names);

}  // namespace kumiki::backends
