// SPDX-License-Identifier: Apache-2.0
// The tables of `bench`; a new one is a file and a line in bench.cpp. Here are the options that
// several of them share.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/cli/options.h"
#include "ir/primitive.h"

namespace kumiki::cli {

Command bench_array();
Command bench_clock();
Command bench_compressor();
Command bench_conv2d();
Command bench_delay();
Command bench_dense();
Command bench_devices();
Command bench_engine();
Command bench_interpreter();
Command bench_matrix();
Command bench_neuron();
Command bench_packing();
Command bench_pipeline();
Command bench_placed();
Command bench_planning();
Command bench_reach();
Command bench_requant();
Command bench_vision();
Command bench_zoo();

// Rows that run in lockstep.
struct TrialOptions {
  std::string with = "native";  // or verilator
  std::optional<std::uint64_t> cycles, seed;
  unsigned jobs = 0;
  bool json = false;
  std::string row;  // rows whose name contains this, for tables with add_row
};
void add_simulator(CLI::App& app, std::string& with);
void add_row(CLI::App& app, TrialOptions& options);
void add_trial(CLI::App& app, TrialOptions& options, Settings& settings);
// A table with exactly these options.
Run with_trials(CLI::App& app, Settings& settings, int (*run)(const TrialOptions&, flow::Context&));

// Rows of compressor trees: which ones, and how to solve them.
struct HeapOptions {
  std::string heap;       // rows whose name contains this
  std::string objective;  // rows with this objective
  std::optional<std::uint32_t> effort;
  bool solve = false;        // solve shipped trees again too
  int seed = 1;              // of the solver
  std::uint32_t stages = 0;  // exactly so many; 0: any
  ir::Family family = ir::Family::series7;
  std::string trees;  // folder to write them to
  bool force = false;
  bool naive = true;  // also run Yosys for comparison
  bool json = false;
};
void add_heaps(CLI::App& app, HeapOptions& options, Settings& settings);  // without the last four
void add_naive(CLI::App& app, bool& naive);
void add_family(CLI::App& app, ir::Family& family);
Run with_heaps(CLI::App& app, Settings& settings,
               int (*run)(const HeapOptions&, flow::Context&));  // with all of them

}  // namespace kumiki::cli
