// SPDX-License-Identifier: Apache-2.0
// Rows of the benches of compressor trees: a layer is built and its netlist is counted.
#pragma once
#include <string>

#include "gen/cli/cli.h"
#include "gen/compressor/plan.h"
#include "gen/layer.h"

namespace kumiki::cli {

// objective, stages, luts (sites), carries, dense_slices, ffs; levels, carry_bits and delay_ns of
// the slowest way by one estimate; longest_chain of the tree, gpcs, bound, proven, seconds; and
// naive_luts, naive_levels and naive_delay_ns of the behaviour unless they are left out.
gen::Json measure(const gen::Layer& layer, double seconds, ir::Family family,
                  const std::string& behaviour, const Options& options);

// A tree as it is shipped, with the command that finds it in front.
std::string tree_file(const std::string& table, const std::string& heap,
                      const gen::compressor::TreePlan& tree, const Options& options);

void print_table(const gen::Json& rows, const std::vector<std::string>& first_columns);

}  // namespace kumiki::cli
