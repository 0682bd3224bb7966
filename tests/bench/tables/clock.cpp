// SPDX-License-Identifier: Apache-2.0
// `bench clock`: levels and estimated clock of single layers, and their throughput at that clock.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "backends/support/temporary.h"
#include "backends/timing/analysis.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/files/clock.h"
#include "ir/resources.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"
#include "tests/support/example.h"

namespace kumiki::cli {
namespace clock_table {
namespace {

struct Options {
  std::vector<std::string> files;
  std::optional<int> grade;
  bool json = false;
};

Result row(const std::string& name, const gen::NamedLayer& layer, const gen::config::Target& target,
           const Options& options, flow::Context& context) {
  namespace timing = backends::timing;
  gen::Builder builder(target.family, context.limits);
  builder.design().set_top(layer.layer->build(builder, layer.origin).id());
  const timing::Netlist netlist(builder.design());
  const timing::Analysis a =
      timing::analyse(netlist, {.grade = flow::grade_of(target.part, options.grade), .paths = 0});
  const gen::Facts facts = layer.layer->facts();
  Result r{{"design", name},
           {"type", layer.type},
           {"family", std::string(ir::family_name(target.family))},
           {"levels", a.depth.total()},
           {"promised", facts.levels ? Cell(*facts.levels) : Cell()},
           {"worst_ns", rounded(a.period_ps, 1) / 1000},
           {"mhz", rounded(a.mhz(), 1)}};
  r["mac_per_slice"] = Cell();
  r["gops"] = Cell();
  if (facts.macs_per_clock) {
    if (facts.slices > 0)
      r["mac_per_slice"] = rounded(*facts.macs_per_clock / static_cast<double>(facts.slices), 1000);
    r["gops"] = rounded(2 * *facts.macs_per_clock * a.mhz() / 1000, 10);
  }
  r["luts"] = ir::count_resources(builder.design()).total.luts;
  return r;
}

// Adds the layer, and its version between AXI4-Streams if it has one.
void add_rows(Results& rows, const std::string& name, const gen::NamedLayer& layer,
              const gen::config::Target& target, const Options& options, flow::Context& context) {
  rows.push_back(row(name, layer, target, options, context));
  gen::NamedLayer streams = layer;
  if (gen::axi_stream::wrap(streams.layer, target.family, context.limits))
    rows.push_back(row(name + ", streams", streams, target, options, context));
}

void add_examples(Results& rows, const gen::config::LayerType& type, const Options& options,
                  flow::Context& context) {
  const backends::TemporaryFolder folder;
  for (std::size_t i = 0; i < type.examples.size(); ++i) {
    const Plans plans(test::write_example(folder.path(), type, type.examples[i]).string(),
                      {.context = context});
    for (const gen::NamedLayer& l : plans.layers)
      add_rows(rows, fmt::format("{} {}", type.name, i + 1), l, plans.document.target, options,
               context);
  }
}

int run(const Options& options, flow::Context& context) {
  context.keeps_trees = true;  // the search for trees is not its subject
  Results rows;
  for (const std::string& file : options.files) {
    const Plans plans(file, {.context = context});
    for (const gen::NamedLayer& l : plans.layers)
      add_rows(rows, std::filesystem::path(file).stem().string() + " " + l.name, l,
               plans.document.target, options, context);
  }
  if (options.files.empty())
    for (const auto& type : gen::registry().types()) add_examples(rows, type, options, context);
  rows.print({"design", "type", "family", "levels", "promised", "worst_ns", "mhz", "mac_per_slice",
              "gops", "luts"},
             options.json);
  return ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  app.add_option("FILE", o->files,
                 "configurations (default: the examples of every type, as list TYPE shows them)");
  add_grade(app, o->grade);
  add_json(app, o->json);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace clock_table

Command bench_clock() {
  return {"clock", "levels of logic, estimated clock and operations a second of every type",
          clock_table::declare};
}

}  // namespace kumiki::cli
