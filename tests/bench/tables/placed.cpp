// SPDX-License-Identifier: Apache-2.0
// `bench placed`: designs that an open flow placed and routed (tests/vectors/placed), beside what
// is counted and estimated here.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "backends/fabric/slices.h"
#include "backends/support/file.h"
#include "backends/timing/analysis.h"
#include "gen/flow/messages.h"
#include "gen/flow/project.h"
#include "gen/flow/trained/network_source.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/built.h"
#include "tests/bench/tables/results.h"
#include "tests/support/fields.h"

namespace kumiki::cli {
namespace placed_table {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string folder, row;
  bool json = false;
};

// A line of placed.csv.
struct Placed {
  std::string design, form, source, plain;
  double sites = 0, slices = 0, ns = 0;
  bool is_fitted = false;
};

std::vector<Placed> read_placed(const fs::path& file) {
  std::vector<Placed> all;
  std::istringstream lines(backends::read_file(file));
  std::string line;
  std::getline(lines, line);  // the names of the columns
  while (std::getline(lines, line)) {
    const std::vector<std::string> f = tests::fields(line);
    constexpr std::size_t columns = 15;
    if (f.size() != columns)
      throw UsageError(code::no_row, fmt::format("{}, line {}: {} fields; there must be {}",
                                                 file.string(), all.size() + 2, f.size(), columns));
    all.push_back({.design = f.at(0),
                   .form = f.at(1),
                   .source = f.at(2),
                   .plain = f.at(4),
                   .sites = std::stod(f.at(5)),
                   .slices = std::stod(f.at(6)),
                   .ns = std::stod(f.at(7)),
                   .is_fitted = f.at(3) == "fit"});
  }
  return all;
}

struct Counted {
  backends::fabric::Packed packed;
  double ns = 0;
};

Counted counted(const ir::Design& design) {
  const backends::timing::Netlist netlist(design);
  return {backends::fabric::pack(netlist),
          backends::timing::analyse(netlist, {.paths = 0}).worst / 1000.0};
}

// Of a configuration, or of a network as a pipeline: MODEL@CLOCKS.
Counted counted(const Placed& p, const Options& options, flow::Context& context) {
  const fs::path folder = options.folder;
  const std::size_t at = p.source.find('@');
  if (at == std::string::npos)
    return counted(flow::Project((folder / p.source).string(), {.context = context}).design());
  const flow::Network network = flow::load_network(folder / p.source.substr(0, at));
  return counted(built_pipeline(network.graph, p.design,
                                {.clocks = std::stoll(p.source.substr(at + 1))}, context,
                                {.family = ir::Family::series7, .column_height = 60})
                     .builder->design());
}

// By how much estimates differ from what was routed, as a factor, less 1: the root of the mean
// square.
double mean_error(const std::vector<double>& ratios) {
  double squares = 0;
  for (const double r : ratios) squares += std::log(r) * std::log(r);
  return ratios.empty() ? 0 : std::exp(std::sqrt(squares / static_cast<double>(ratios.size()))) - 1;
}

int run(const Options& options, flow::Context& context) {
  context.keeps_trees = true;  // the search for trees is not its subject
  const std::vector<Placed> all = read_placed(fs::path(options.folder) / "placed.csv");
  std::vector<std::string> names;
  for (const Placed& p : all) names.push_back(p.design);
  // The smaller, and the faster one, of Yosys' results for the plain form.
  const auto best = [&](const std::string& plain, double Placed::*figure) {
    double least = 0;
    for (const Placed& p : all)
      if (p.form != "kumiki" && p.design == plain && (least == 0 || p.*figure < least))
        least = p.*figure;
    return least;
  };
  Results rows;
  std::vector<double> fitted, others;
  for (const Placed& p : all) {
    if (p.form != "kumiki" || !is_meant(p.design, options.row, names)) continue;
    const Counted own = counted(p, options, context);
    const double ratio = own.ns / p.ns;
    (p.is_fitted ? fitted : others).push_back(ratio);
    Result r{{"design", p.design},
             {"sites", own.packed.sites},
             {"placed_sites", p.sites},
             {"slices", own.packed.slices},
             {"placed_slices", p.slices},
             {"routed_ns", p.ns},
             {"estimated_ns", rounded(own.ns)},
             {"ratio", rounded(ratio)},
             {"fitted", p.is_fitted}};
    const double slices = best(p.plain, &Placed::slices), ns = best(p.plain, &Placed::ns);
    r["of_plain_slices"] = slices > 0 ? Cell(rounded(p.slices / slices)) : Cell();
    r["of_plain_ns"] = ns > 0 ? Cell(rounded(p.ns / ns)) : Cell();
    rows.push_back(r);
  }
  if (rows.empty())
    throw UsageError(code::no_row,
                     fmt::format("--row {}: no design has this in its name", options.row));
  rows.print({"design", "sites", "placed_sites", "slices", "placed_slices", "routed_ns",
              "estimated_ns", "ratio", "fitted", "of_plain_slices", "of_plain_ns"},
             options.json);
  if (!options.json && options.row.empty())
    fmt::print(
        "\nestimates differ by {:.1f} % from {} designs that they were fitted to, "
        "by {:.1f} % from {} others (root of the mean square)\n",
        100 * mean_error(fitted), fitted.size(), 100 * mean_error(others), others.size());
  return ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  app.add_option("FOLDER", o->folder,
                 "placed.csv, and the configurations that it names (tests/vectors/placed)")
      ->required();
  app.add_option("--row", o->row, "the design of this name, or all whose name has this in it");
  add_json(app, o->json);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace placed_table

Command bench_placed() {
  return {"placed", "designs that were placed and routed, beside what is counted and estimated",
          placed_table::declare};
}

}  // namespace kumiki::cli
