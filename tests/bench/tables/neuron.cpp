// SPDX-License-Identifier: Apache-2.0
// `bench neuron`: neurons of every form, in one cycle and in several, with majority thresholds,
// counted on generated netlists.
#include <bit>
#include <chrono>

#include <fmt/format.h>

#include "backends/support/files.h"
#include "gen/cli/output.h"
#include "gen/layers/neuron/neuron.h"
#include "gen/layers/neuron/serial.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/measure.h"
#include "tests/bench/tables/tables.h"

namespace kumiki::cli {
namespace neuron_table {
namespace {

using namespace gen::neuron;
using gen::compressor::Objective;

std::vector<NeuronRequest> requests(const HeapOptions& options, flow::Context& context) {
  std::vector<NeuronRequest> all;
  auto add = [&](std::uint32_t n, bool embedded, Form form, Objective objective) {
    NeuronRequest r;
    r.objective = objective;
    r.inputs = n;
    r.form = form;
    r.threshold = n / 2 + 1;
    r.context = context;
    r.family = options.family;
    if (options.effort) r.effort = *options.effort;
    if (options.solve && form == Form::absorbed) r.anew = {options.seed, options.stages};
    // The values of embedded weights do not matter: inversion is free inside a LUT.
    if (embedded) r.weights = std::vector<std::uint8_t>(n, 1);
    all.push_back(std::move(r));
  };
  for (bool embedded : {false, true})
    for (std::uint32_t n : {32u, 64u, 128u, 256u}) {
      add(n, embedded, Form::gpc, Objective::stages);
      add(n, embedded, Form::gpc_bias, Objective::stages);
      add(n, embedded, Form::absorbed, Objective::stages);
      add(n, embedded, Form::absorbed, Objective::luts);
      if (n <= 64) add(n, embedded, Form::absorbed, Objective::delay);
    }
  for (bool embedded : {false, true}) add(4096, embedded, Form::absorbed, Objective::stages);
  return all;
}

// The same neuron in an increasing number of cycles shows the savings of folding. The weights are
// mixed.
struct Fold {
  std::string name;
  SerialRequest request;
};
std::vector<Fold> folds(const HeapOptions& options, flow::Context& context) {
  std::vector<Fold> all;
  constexpr std::uint32_t n = 64;
  for (bool embedded : {false, true})
    for (std::uint32_t cycles : {2u, 3u, 4u, 8u, 16u, 32u, 64u}) {
      SerialRequest r;
      r.inputs = n;
      r.cycles = cycles;
      r.threshold = n / 2 + 1;
      r.effort = options.effort.value_or(1);
      r.context = context;
      r.family = options.family;
      if (embedded) {
        r.weights.emplace();
        for (std::uint32_t i = 0; i < n; ++i) r.weights->push_back(i * 2654435761u >> 16 & 1);
      }
      all.push_back({fmt::format("serial {} in {} cycles, {}", n, cycles,
                                 embedded ? "embedded" : "weights as inputs"),
                     std::move(r)});
    }
  return all;
}

// The names used by --heap and by the files of shipped trees.
std::string heap_of(const NeuronRequest& r) {
  return fmt::format("neuron {}, {}", r.inputs, r.weights ? "embedded" : "weights as inputs");
}
std::string file_of(const NeuronRequest& r) {
  return fmt::format("neuron{}{}{}.txt", r.inputs, r.weights ? "-embedded" : "",
                     r.objective == Objective::stages
                         ? ""
                         : fmt::format("-{}", gen::compressor::name(r.objective)));
}

}  // namespace

std::string behaviour(const NeuronRequest& r) {
  std::string sum;
  for (std::uint32_t i = 0; i < r.inputs; ++i)
    sum += fmt::format("{}{}", sum.empty() ? "" : " + ", fmt::format("{{16'd0, a[{}]}}", i));
  std::string ports = r.weights ? "" : fmt::format(", input [{}:0] w", r.inputs - 1);
  if (!r.threshold) ports += fmt::format(", input [{}:0] t", std::bit_width(r.inputs + 1) - 1);
  return fmt::format(
      "module naive(input [{0}:0] x{1}, output y);\n  wire [{0}:0] a = {2};\n"
      "  wire [16:0] s = {3};\n  assign y = s >= {4};\nendmodule\n",
      r.inputs - 1, ports, r.weights ? "x" : "~(x ^ w)", sum,
      r.threshold ? fmt::format("17'd{}", *r.threshold) : "t");
}

Results results(const HeapOptions& options, flow::Context& context) {
  Results table;
  backends::OutputSet trees;
  const auto all = requests(options, context);
  std::vector<std::string> names;
  for (const NeuronRequest& r : all) names.push_back(heap_of(r));
  for (const NeuronRequest& r : all) {
    if (!is_meant(heap_of(r), options.heap, names)) continue;
    if (!options.objective.empty() && options.objective != gen::compressor::name(r.objective))
      continue;
    const auto start = std::chrono::steady_clock::now();
    const NeuronPlan plan = plan_neuron(r);
    if (r.form == Form::absorbed)
      trees.add(file_of(r), tree_file("neuron", heap_of(r), plan.tree, options));
    const auto layer = make_planned(plan);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    Result row{{"heap", heap_of(r)},
               {"n", r.inputs},
               {"form", name(r.form)},
               {"embedded", r.weights.has_value()}};
    row.append(
        measure(*layer, plan.tree, seconds.count(), options.family, behaviour(r), options.naive));
    table.push_back(std::move(row));
  }
  for (const Fold& fold : folds(options, context)) {
    if (fold.name.find(options.heap) == std::string::npos) continue;
    if (!options.objective.empty() && options.objective != "stages") continue;
    const auto start = std::chrono::steady_clock::now();
    const SerialPlan plan = plan_serial(fold.request);
    const auto layer = make_planned(plan);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    Result row{{"heap", fold.name},
               {"n", fold.request.inputs},
               {"form", fmt::format("serial, {} cycles", fold.request.cycles)},
               {"embedded", fold.request.weights.has_value()}};
    row.append(measure(*layer, plan.tree, seconds.count(), options.family, {}, options.naive));
    table.push_back(std::move(row));
  }
  if (!options.trees.empty()) trees.commit(options.trees, theirs(options.force));
  return table;
}

namespace {

int run(const HeapOptions& options, flow::Context& context) {
  return print_rows(results(options, context), {"n", "form", "embedded"}, options);
}

Run declare(CLI::App& app, Settings& settings) { return with_heaps(app, settings, run); }

}  // namespace
}  // namespace neuron_table

Command bench_neuron() {
  return {"neuron", "binarised neurons of every form, in one cycle and in several, beside Yosys",
          neuron_table::declare};
}

}  // namespace kumiki::cli
