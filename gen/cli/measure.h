// SPDX-License-Identifier: Apache-2.0
// Rows of the benches of compressor trees: a layer is built and its netlist is counted.
#pragma once
#include <string>

#include "gen/cli/cli.h"
#include "gen/layer.h"

namespace kumiki::cli {

// objective, stages, luts (sites), carries, dense_slices, ffs, levels, carry_bits (of the longest
// chain of the tree), gpcs, bound, proven, seconds, and naive_luts unless that is left out.
gen::Json measure(const gen::Layer& layer, double seconds, ir::Family family,
                  const std::string& behaviour, const Options& options);

void print_table(const gen::Json& rows, const std::vector<std::string>& first_columns);

}  // namespace kumiki::cli
