// SPDX-License-Identifier: Apache-2.0
// Rows of the compressor tree benches: builds a layer and counts its netlist.
#pragma once
#include <string>

#include "gen/blocks/compressor/plan.h"
#include "gen/layer/layer.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"

namespace kumiki::cli {

// Columns of a row: family, objective, stages, luts (sites), carries, dense_slices, ffs; levels,
// carry_bits and delay_ns of the slowest path by one estimate; longest_chain of the tree, gpcs,
// bound, proven, seconds. If requested: naive_luts, naive_carries, naive_dense_slices, naive_levels
// and naive_delay_ns of the behaviour; the first three are of its smaller form, the last two of its
// faster form.
Result measure(const gen::Layer& layer, const gen::compressor::TreePlan& tree, double seconds,
               ir::Family family, const std::string& behaviour, bool naive);

// A tree in its shipped form, preceded by the command that finds it.
std::string tree_file(const std::string& table, const std::string& heap,
                      const gen::compressor::TreePlan& tree, const HeapOptions& options);

// Prints the columns of measure() after `first_columns`; returns the exit code.
int print_rows(const Results& rows, const std::vector<std::string>& first_columns,
               const HeapOptions& options);

}  // namespace kumiki::cli
