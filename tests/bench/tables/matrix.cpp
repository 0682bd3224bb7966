// SPDX-License-Identifier: Apache-2.0
// `bench matrix`: constant matrices in LUTs, counted on their netlists and run in lockstep. The
// script tests/bench/beside_da4ml.py compares another generator.
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/support/files.h"
#include "gen/cli/output.h"
#include "gen/layers/const_matrix/layer.h"
#include "ir/activity.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/trial.h"

namespace kumiki::cli {
namespace matrix_table {
namespace {

struct Options : TrialOptions {
  std::string weights;
  std::uint32_t effort = 1, weights_seed = 1;
  std::optional<std::uint32_t> latency;
  bool force = false;
};

// Random weights; the last shapes are those of a network that tags jets (16-64-32-32-5).
struct Row {
  const char* name;
  int inputs, outputs, weight_bits, bits;
};
const std::vector<Row> rows = {
    {"8x8 8", 8, 8, 8, 8},       {"16x16 4", 16, 16, 4, 8},   {"16x16 6", 16, 16, 6, 8},
    {"16x16 8", 16, 16, 8, 8},   {"32x32 4", 32, 32, 4, 8},   {"32x32 6", 32, 32, 6, 8},
    {"32x32 8", 32, 32, 8, 8},   {"64x32 4", 64, 32, 4, 8},   {"64x32 6", 64, 32, 6, 8},
    {"64x32 8", 64, 32, 8, 8},   {"64x64 8", 64, 64, 8, 8},   {"jet 16x64", 16, 64, 6, 8},
    {"jet 64x32", 64, 32, 6, 6}, {"jet 32x32", 32, 32, 6, 6}, {"jet 32x5", 32, 5, 6, 6},
};

std::string csv(const std::vector<gen::const_matrix::Factors>& matrix) {
  std::string text = "# A row an output, an entry an input.\n";
  for (const auto& row : matrix) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

Result result(const Row& row, const Options& options, flow::Context& context,
              backends::OutputSet& files) {
  const ir::Activity activity(fmt::format("matrix {}", row.name));
  const auto start = std::chrono::steady_clock::now();
  const gen::const_matrix::Request request{
      .outputs = row.outputs,
      .inputs = row.inputs,
      .bits = row.bits,
      .source = gen::const_matrix::WeightSource::random,
      .weight_bits = row.weight_bits,
      .seed = options.weights_seed,
      .latency = options.latency ? std::optional<int>(*options.latency) : std::nullopt,
      .effort = options.effort,
      .context = context};
  const auto plan = gen::const_matrix::plan(request, {});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  files.add(fmt::format("{}x{}_w{}_x{}.csv", row.inputs, row.outputs, row.weight_bits, row.bits),
            csv(plan.task.rows));
  const Trial trial = try_layer({"matrix", "const_matrix", {}, gen::const_matrix::make_layer(plan)},
                                options, context.cache(), 200, 2);
  return {{"matrix", row.name},
          {"inputs", row.inputs},
          {"outputs", row.outputs},
          {"weight_bits", row.weight_bits},
          {"bits", row.bits},
          {"luts", plan.luts},
          {"lutmem", trial.total.lut_rams},
          {"ffs", plan.ffs},
          {"levels", plan.levels()},
          {"latency", plan.solution.network.latency},
          {"adders", plan.chains()},
          {"tables", plan.tables()},
          {"exact", trial.exact},
          {"seconds", seconds.count()}};
}

int run(const Options& options, flow::Context& context) {
  Results table;
  backends::OutputSet files;
  for (const Row& row : asked_for(rows, options))
    table.push_back(result(row, options, context, files));
  if (!options.weights.empty()) files.commit(options.weights, theirs(options.force));
  return finish(table, options.json, [](const Results& all) {
    all.print(
        {"matrix", "weight_bits", "bits", "luts", "ffs", "levels", "latency", "adders", "exact"},
        false);
  });
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  add_row(app, *o);
  number(app, "--effort", o->effort, {0, 2}, "of planning")->capture_default_str();
  number(app, "--latency", o->latency, {0, 64},
         "clocks at most, 0: combinational (default: what the smallest network has)");
  number(app, "--weights-seed", o->weights_seed, {0, 1000}, "of the random weights")
      ->capture_default_str();
  app.add_option("--weights", o->weights, "folder for the matrices as CSV, a row an output");
  add_force(app, o->force);
  add_trial(app, *o, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace matrix_table

Command bench_matrix() {
  return {"matrix", "constant matrices in LUTs: LUTs, flip-flops, levels, latency",
          matrix_table::declare};
}

}  // namespace kumiki::cli
