// SPDX-License-Identifier: Apache-2.0
// `bench array`: arrays of P x P elements with T = 8 at 8 bits: their cost, the build time of their
// simulator, and its speed in lockstep with the model.
#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/cli/simulate_network.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/setup.h"
#include "ir/resources.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/trial.h"

namespace kumiki::cli {
namespace array_table {
namespace {

struct Options {
  std::vector<std::int64_t> sides{8, 16, 27};
  std::string with = "native";
  std::optional<std::uint64_t> seed;
  unsigned jobs = 0;
  bool json = false;
};

using namespace gen::array;

// Enough steps to measure a speed, on maps that fill the array.
Request request(std::int64_t side) {
  Request r;
  r.rows = r.columns = side;
  r.accumulators = 8;
  NetworkLayer conv;
  conv.name = "conv";
  conv.in_channels = 32;
  conv.out_channels = 64;
  conv.height = conv.width = side;
  conv.kernel = 3;
  conv.padding = std::int64_t{1};
  r.network = {conv};
  return r;
}

Result row(std::int64_t side, const Options& options, const backends::Cache& cache) {
  const Request r = request(side);
  const ArrayPlan plan = gen::array::plan(hardware_of(r));
  NetworkRun run{.layer = "array", .program = compile(plan, jobs_of(r, plan))};
  std::vector<gen::NamedLayer> layers;
  layers.push_back({"array", "pe_array", {}, make_array(run.program)});
  gen::Builder builder;
  const auto network = gen::build_network(builder, "bench", layers);
  const auto total = ir::count_resources(builder.design()).total;
  run.inputs = inputs_of(run.program, options.seed.value_or(1));
  const bool verilator = options.with == "verilator";
  std::unique_ptr<ir::Machine> machine;
  double build = 0;
  if (verilator) {
    auto verilated = std::make_unique<backends::VerilatedMachine>(
        builder.design(),
        backends::VerilatorOptions{.reuse = false, .jobs = options.jobs, .cache = cache});
    build = verilated->build().verilate_seconds + verilated->build().compile_seconds;
    machine = std::move(verilated);
  } else {
    machine = std::make_unique<backends::NativeMachine>(builder.design());
  }
  const auto result = run_network(network, builder.design().top(), run, *machine,
                                  {.simulator = options.with, .quiet = true});
  const auto& figures = run.program.layers.front().figures;
  return {{"rows", side},
          {"columns", side},
          {"accumulators", 8},
          {"dsp48e2", total.dsps},
          {"luts", total.luts},
          {"lut_memory", total.lut_rams},
          {"ffs", total.ffs},
          {"bram18", total.brams_18k},
          {"formula_cycles", figures.formula.cycles},
          {"measured_clocks", result.layer_clocks.front()},
          {"simulator", options.with},
          {"build_seconds", build},
          {"clocks_per_second", static_cast<double>(result.clocks) / result.seconds},
          {"exact", result.passed}};
}

void print(const Results& rows) {
  std::vector<std::vector<std::string>> table{{"array", "DSP48E2", "LUT", "LUTMEM", "FF", "BRAM18",
                                               "formula", "measured", "simulator", "built in s",
                                               "clocks/s", "exact"}};
  for (const auto& r : rows)
    table.push_back({fmt::format("{}x{}", r["rows"].integer(), r["columns"].integer()),
                     r["dsp48e2"].text(), r["luts"].text(), r["lut_memory"].text(), r["ffs"].text(),
                     r["bram18"].text(), r["formula_cycles"].text(), r["measured_clocks"].text(),
                     r["simulator"].text(), fmt::format("{:.1f}", r["build_seconds"].number()),
                     fmt::format("{:.0f}", r["clocks_per_second"].number()),
                     r["exact"].flag() ? "yes" : "NO"});
  fmt::print("{}", backends::table(table));
}

int run(const Options& options, flow::Context& context) {
  Results rows;
  for (const std::int64_t side : options.sides) rows.push_back(row(side, options, context.cache()));
  return finish(rows, options.json, print);
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  number(app, "--terms", o->sides, {2, 1024}, "rows and columns of each array (default: 8 16 27)");
  add_simulator(app, o->with);
  number(app, "--seed", o->seed, any_seed, "seed of the stimulus (default: 1)");
  add_jobs(app, o->jobs);
  add_json(app, o->json);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace array_table

Command bench_array() {
  return {"array", "arrays of processing elements: what they take and how fast they simulate",
          array_table::declare};
}

}  // namespace kumiki::cli
