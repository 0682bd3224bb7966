// SPDX-License-Identifier: Apache-2.0
// Options that several tables have.
#include "tests/bench/tables/bench.h"

namespace kumiki::cli {

void add_simulator(CLI::App& app, std::string& with) {
  app.add_option("--with", with, "simulator of the lockstep runs: verilator or native")
      ->check(CLI::IsMember({"verilator", "native"}))
      ->capture_default_str();
}

void add_row(CLI::App& app, TrialOptions& options) {
  app.add_option("--row", options.row, "rows whose name has this in it");
}

void add_trial(CLI::App& app, TrialOptions& options, Settings& settings) {
  add_simulator(app, options.with);
  number(app, "--cycles", options.cycles, most_cycles,
         "cycles of each lockstep run (default: as many as the row needs)");
  number(app, "--seed", options.seed, any_seed, "seed of the stimulus (default: 1)");
  add_jobs(app, options.jobs);
  add_json(app, options.json);
  add_cache(app, settings);
  add_trace(app, settings);
}

Run with_trials(CLI::App& app, Settings& settings,
                int (*run)(const TrialOptions&, flow::Context&)) {
  const auto options = std::make_shared<TrialOptions>();
  add_row(app, *options);
  add_trial(app, *options, settings);
  return runs(run, options);
}

void add_heaps(CLI::App& app, HeapOptions& options, Settings& settings) {
  app.add_option("--heap", options.heap, "rows whose name has this in it");
  app.add_option("--objective", options.objective, "rows of this objective");
  number(app, "--effort", options.effort, {0, 5}, "of the solver");
  app.add_flag("--solve", options.solve, "solve what is shipped as well");
  number(app, "--solver-seed", options.seed, {0, std::numeric_limits<int>::max()},
         "of the solver (default: 1)");
  number(app, "--stages", options.stages, {1, 64}, "solve for exactly so many stages");
  add_family(app, options.family);
  add_json(app, options.json);
  add_take_incumbent(app, settings);
  add_cache(app, settings);
  add_trace(app, settings);
}

void add_naive(CLI::App& app, bool& naive) {
  app.add_flag("!--no-naive", naive, "do not ask Yosys what it makes of the behaviour");
}

void add_family(CLI::App& app, ir::Family& family) {
  app.add_option_function<std::string>(
         "--family", [&family](const std::string& name) { ir::family_from_name(name, family); },
         "device family of the netlists")
      ->check(CLI::IsMember({"7series", "ultrascale", "ultrascale+"}))
      ->default_str(std::string(ir::family_name(family)));
}

Run with_heaps(CLI::App& app, Settings& settings, int (*run)(const HeapOptions&, flow::Context&)) {
  const auto options = std::make_shared<HeapOptions>();
  add_heaps(app, *options, settings);
  app.add_option("--trees", options->trees, "folder for the trees as text");
  add_force(app, options->force);
  add_naive(app, options->naive);
  return runs(run, options);
}

}  // namespace kumiki::cli
