// SPDX-License-Identifier: Apache-2.0
// Relative placement for Vivado of cells that dedicated wires hold above one another: cascades of
// DSP slices and carry chains.
#pragma once
#include <string>
#include <vector>

#include "backends/support/flat/flatten.h"
#include "ir/names.h"

namespace kumiki::backends {

struct Column {
  bool is_dsp = false;                  // else carry blocks
  std::vector<native::FlatCell> cells;  // two or more, from below
};

// Columns run through the ports of modules. DSP slices come first, then each in the order of its
// lowest cell; no cell is in two of them.
std::vector<Column> find_columns(const native::Flat& flat);

// XDC: a macro for every column, cells by their paths below the top.
std::string write_placement(const ir::Names& names);

}  // namespace kumiki::backends
