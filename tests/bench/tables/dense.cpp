// SPDX-License-Identifier: Apache-2.0
// `bench dense`: layers of many neurons on the same inputs: LUTs for each neuron with and without
// sharing.
#include <bit>
#include <chrono>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/solver/random.h"
#include "gen/layers/neuron/dense.h"
#include "ir/resources.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/measure.h"

namespace kumiki::cli {
namespace dense_table {
namespace {

struct Options {
  std::string heap;  // rows whose name contains this
  std::uint32_t effort = 1;
  bool json = false;
};

using gen::compressor::Random;
using gen::neuron::DenseRequest;
using Weights = std::vector<std::vector<std::uint8_t>>;

template <class Weight>
Weights matrix(unsigned neurons, unsigned inputs, Weight weight) {
  Weights rows(neurons, std::vector<std::uint8_t>(inputs));
  for (unsigned m = 0; m < neurons; ++m)
    for (unsigned i = 0; i < inputs; ++i) rows[m][i] = weight(m, i);
  return rows;
}

Weights random(unsigned neurons, unsigned inputs) {
  Random source(0);
  return matrix(neurons, inputs, [&](unsigned, unsigned) { return source.below(2); });
}

// Rows of Walsh functions: any two differ in half of the inputs.
Weights hadamard(unsigned n) {
  return matrix(n, n, [](unsigned m, unsigned i) { return std::popcount(m & i) & 1; });
}

// Inputs i, i + n/4, i + n/2 and i + 3n/4 have equal weights except for one in fifty.
Weights four_alike(unsigned neurons, unsigned inputs) {
  Random source(0);
  Weights rows = random(neurons, inputs);
  for (auto& row : rows)
    for (unsigned i = inputs / 4; i < inputs; ++i)
      row[i] = row[i % (inputs / 4)] ^ (source.below(50) == 0);
  return rows;
}

struct Row {
  const char* weights;
  Weights (*make)();
};
constexpr Row rows[] = {
    {"64 of 128, random", [] { return random(64, 128); }},
    {"1000 of 256, random", [] { return random(1000, 256); }},
    {"2000 of 500, random", [] { return random(2000, 500); }},
    {"256 of 256, Hadamard's", [] { return hadamard(256); }},
    {"200 of 256, four inputs alike", [] { return four_alike(200, 256); }},
};

int run(const Options& options, flow::Context& context) {
  Results table;
  for (const Row& row : rows) {
    const std::string heap = fmt::format("dense {}", row.weights);
    if (heap.find(options.heap) == std::string::npos) continue;
    const auto start = std::chrono::steady_clock::now();
    DenseRequest r;
    r.weights = row.make();
    r.inputs = static_cast<std::uint32_t>(r.weights[0].size());
    r.threshold = r.inputs / 2 + 1;
    r.effort = options.effort;
    r.context = context;
    const auto plan = gen::neuron::plan_dense(r);
    const auto layer = gen::neuron::make_planned(plan);
    gen::Builder builder(ir::Family::series7);
    const unsigned luts = ir::own_cost(layer->build(builder, {})).luts;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double neurons = static_cast<double>(r.weights.size());
    table.push_back({{"heap", heap},
                     {"n", r.inputs},
                     {"neurons", r.weights.size()},
                     {"group", plan.group},
                     {"luts", luts},
                     {"plan_luts", plan.luts()},
                     {"luts_a_neuron", luts / neurons},
                     {"unshared_a_neuron", static_cast<double>(plan.alone_luts) / neurons},
                     {"seconds", seconds.count()}});
  }
  require_rows(table, options.heap, "");
  table.print(
      {"heap", "n", "neurons", "group", "luts", "plan_luts", "luts_a_neuron", "unshared_a_neuron"},
      options.json);
  return ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  app.add_option("--heap", o->heap, "rows whose name has this in it");
  number(app, "--effort", o->effort, {0, 5}, "of the solver")->capture_default_str();
  add_json(app, o->json);
  add_take_incumbent(app, settings);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace dense_table

Command bench_dense() {
  return {"dense", "layers of many neurons on the same inputs, with and without sharing",
          dense_table::declare};
}

}  // namespace kumiki::cli
