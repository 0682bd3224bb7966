// SPDX-License-Identifier: Apache-2.0
// Rows of the benches of compressor trees: a layer is built and its netlist is counted.
#pragma once
#include <string>

#include "gen/blocks/compressor/plan.h"
#include "gen/layer/layer.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"

namespace kumiki::cli {

// Columns of a row: family, objective, stages, luts (sites), carries, dense_slices, ffs; levels,
// carry_bits and delay_ns of the slowest way by one estimate; longest_chain of the tree, gpcs,
// bound, proven, seconds. Where they are asked for: naive_luts, naive_carries, naive_dense_slices,
// naive_levels and naive_delay_ns of the behaviour: the first three of the form that is smaller,
// the last two of the one that is faster.
Result measure(const gen::Layer& layer, const gen::compressor::TreePlan& tree, double seconds,
               ir::Family family, const std::string& behaviour, bool naive);

// A tree as it is shipped, with the command that finds it in front.
std::string tree_file(const std::string& table, const std::string& heap,
                      const gen::compressor::TreePlan& tree, const HeapOptions& options);

// Prints the columns of measure() behind `first_columns`; returns the exit code.
int print_rows(const Results& rows, const std::vector<std::string>& first_columns,
               const HeapOptions& options);

}  // namespace kumiki::cli
