// SPDX-License-Identifier: Apache-2.0
// `bench delay`: popcounts and neurons for the shortest delay, compared with Yosys' version of the
// behaviour. One clock estimate (backends/timing) serves both netlists.
#include <chrono>

#include <fmt/format.h>

#include "gen/layers/compressor/layer.h"
#include "ir/limits.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/measure.h"
#include "tests/bench/tables/tables.h"

namespace kumiki::cli {
namespace delay_table {
namespace {

struct Options {
  std::vector<std::int64_t> sizes;  // empty: 2 to 64
  std::string form;                 // rows whose name contains this
  std::uint32_t effort = 0;
  ir::Family family = ir::Family::series7;
  bool naive = true;
  bool json = false;
};

using gen::neuron::NeuronRequest;

std::string popcount_behaviour(unsigned n) {
  std::string sum = "0";
  for (unsigned i = 0; i < n; ++i) sum += fmt::format(" + x[{}]", i);
  return fmt::format(
      "module naive(input [{}:0] x, output [{}:0] sum);\n  assign sum = {};\n"
      "endmodule\n",
      n - 1, gen::compressor::popcount_shape(n).width() - 1, sum);
}

struct Row {
  std::unique_ptr<gen::Layer> layer;
  gen::compressor::TreePlan tree;
  std::string behaviour;
};

template <class Request>
Request for_delay(Request r, const Options& options, flow::Context& context) {
  r.objective = gen::compressor::Objective::delay;
  r.effort = options.effort;
  r.context = context;
  r.family = options.family;
  return r;
}

struct Form {
  const char* name;
  Row (*make)(unsigned n, const Options& options, flow::Context& context);
};

template <bool is_embedded, bool is_fixed>
Row neuron_row(unsigned n, const Options& options, flow::Context& context) {
  auto r = for_delay(NeuronRequest{}, options, context);
  r.inputs = n;
  if (is_embedded) r.weights = std::vector<std::uint8_t>(n, 1);
  if (is_fixed) r.threshold = n / 2 + 1;
  const auto plan = gen::neuron::plan_neuron(r);
  return {gen::neuron::make_planned(plan), plan.tree, neuron_table::behaviour(r)};
}

constexpr Form forms[] = {
    {"popcount",
     [](unsigned n, const Options& options, flow::Context& context) {
       const auto request = for_delay(gen::compressor::PopcountRequest{{}, n}, options, context);
       const auto plan = plan_sum(spec(request), request);
       return Row{make_sum_layer(plan), plan.tree, popcount_behaviour(n)};
     }},
    {"neuron, embedded, T fixed", neuron_row<true, true>},
    {"neuron, embedded, T as input", neuron_row<true, false>},
    {"neuron, weights as inputs, T fixed", neuron_row<false, true>},
    {"neuron, weights as inputs, T as input", neuron_row<false, false>},
};

int run(const Options& options, flow::Context& context) {
  auto sizes = options.sizes;
  if (sizes.empty())
    for (unsigned n = 2; n <= 64; ++n) sizes.push_back(n);
  Results table;
  bool none_slower = true;
  for (const Form& form : forms) {
    if (std::string(form.name).find(options.form) == std::string::npos) continue;
    for (auto size : sizes) {
      const auto n = static_cast<unsigned>(size);
      const auto start = std::chrono::steady_clock::now();
      const Row one = form.make(n, options, context);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      Result row{{"heap", form.name}, {"n", n}};
      row.append(measure(*one.layer, one.tree, seconds.count(), options.family, one.behaviour,
                         options.naive));
      if (options.naive) {
        const bool is_slower = row["delay_ns"].number() > row["naive_delay_ns"].number();
        row["is_slower"] = is_slower;
        none_slower = none_slower && !is_slower;
      }
      table.push_back(std::move(row));
    }
  }
  std::vector<std::string> keys{"heap", "n", "stages", "luts", "levels", "carry_bits", "delay_ns"};
  if (options.naive)
    keys.insert(keys.end(),
                {"naive_luts", "naive_levels", "naive_carry_bits", "naive_delay_ns", "is_slower"});
  require_rows(table, options.form, "");
  table.print(keys, options.json);
  return none_slower ? ok : design_failed;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  number(app, "--terms", o->sizes, {1, ir::Limits{}.heap_bits},
         "numbers of bits (default: 2 to 64)");
  app.add_option("--heap", o->form, "rows whose name has this in it");
  number(app, "--effort", o->effort, {0, 5}, "of the solver")->capture_default_str();
  add_family(app, o->family);
  add_naive(app, o->naive);
  add_json(app, o->json);
  add_take_incumbent(app, settings);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace delay_table

Command bench_delay() {
  return {"delay", "popcounts and neurons for the shortest delay beside Yosys, by one estimate",
          delay_table::declare};
}

}  // namespace kumiki::cli
