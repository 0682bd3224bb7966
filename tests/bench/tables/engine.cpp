// SPDX-License-Identifier: Apache-2.0
// `bench engine`: what networks take on an engine, computed from their programs.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/timing/levels.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/network_source.h"
#include "gen/layers/engine/bound.h"
#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/lower.h"
#include "gen/layers/engine/timeline.h"
#include "ir/resources.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"
#include "tests/bench/tables/topologies.h"

namespace kumiki::cli {
namespace engine_table {
namespace {

namespace engine = gen::engine;
namespace fs = std::filesystem;
using gen::graph::Graph;

struct Options {
  std::vector<std::string> files;
  std::string network;
  std::int64_t rows = 32, columns = 16, places = 49'152, ring = 512;
  std::optional<std::int64_t> bus, batch;
  bool layers = false, netlist = false, uram = false, json = false;
};

std::int64_t beat_parts_of(const Options& o) {
  constexpr std::int64_t usual = 32;
  if (!o.bus) return std::max<std::int64_t>(1, std::min(o.rows, usual) / o.columns);
  try {
    return engine::beat_parts_of(*o.bus, o.rows, o.columns);
  } catch (const DesignError& e) {
    throw UsageError(code::no_row, std::string("--bus: ") + e.what());
  }
}

engine::EngineShape shape_of(const Options& o) {
  return {.rows = o.rows,
          .columns = o.columns,
          .beat_parts = beat_parts_of(o),
          .places = o.places,
          .weight_words = o.ring};
}

double share(std::int64_t macs, std::int64_t clocks, const engine::EngineShape& s) {
  return rounded(static_cast<double>(macs) / static_cast<double>(s.macs()) /
                 static_cast<double>(std::max<std::int64_t>(clocks, 1)));
}

Result row_of_network(const std::string& name, const Graph& g, const Options& o) {
  const engine::EngineShape s = shape_of(o);
  Result r{{"network", name},        {"build", fmt::format("{}x{}", s.rows, s.columns)},
           {"mac_clk", s.macs()},    {"clocks", Cell()},
           {"least_clocks", Cell()}, {"share_of_peak", Cell()},
           {"bytes_moved", Cell()},  {"places", Cell()}};
  try {
    const engine::Program program = engine::lower(g, s, o.batch.value_or(1));
    const engine::Timeline t = engine::timeline_of({engine::plan_core(s, true)}, program);
    std::int64_t macs = 0, bytes = 0;
    for (const engine::LayerClocks& l : t.layers) {
      macs += l.macs;
      bytes += l.bytes;
    }
    r["clocks"] = t.clocks / program.images();
    r["least_clocks"] = engine::least_clocks(s, *program.graph) / program.images();
    r["share_of_peak"] = share(macs, t.clocks, s);
    r["bytes_moved"] = bytes / program.images();
    r["places"] = program.places;
  } catch (const DesignError& e) {
    r["refused"] = e.what();
  }
  return r;
}

// `clocks` are those that a layer adds to the run.
void add_rows_of_layers(const Graph& g, const Options& o, Results& rows) {
  const engine::EngineShape s = shape_of(o);
  const engine::Timeline t =
      engine::timeline_of({engine::plan_core(s, true)}, engine::lower(g, s, o.batch.value_or(1)));
  for (const engine::LayerClocks& l : t.layers)
    rows.push_back({{"layer", l.name},
                    {"steps", l.steps},
                    {"clocks", l.clocks()},
                    {"mostly", std::string(engine::name_of(l.bound()))},
                    {"bytes_moved", l.bytes},
                    {"share_of_peak", l.macs == 0 ? Cell() : Cell(share(l.macs, l.clocks(), s))}});
}

// What the engine behind its streams takes, on one clock and on two.
int count_netlists(const Options& o) {
  const engine::EngineShape s = shape_of(o);
  Results rows;
  for (const bool is_double : {false, true}) {
    Result r{{"build", fmt::format("{}x{}", s.rows, s.columns)},
             {"clocks", is_double ? "two" : "one"},
             {"mac_clk", s.macs()}};
    try {
      const engine::EnginePlan plan{engine::plan_core(s, is_double, o.uram)};
      gen::Builder builder;
      gen::build_top(builder, engine::build_engine, plan, engine::input_shape(plan));
      const ir::Cost cost = ir::count_resources(builder.design()).total;
      const auto per_mac = [&](double all) { return rounded(all / static_cast<double>(s.macs())); };
      r["luts"] = cost.luts;
      r["lut_rams"] = cost.lut_rams;
      r["lut_per_mac"] = per_mac(cost.luts + cost.lut_rams);
      r["ffs"] = cost.ffs;
      r["slices"] = cost.dsps;
      r["mac_slice"] = rounded(static_cast<double>(s.macs()) / cost.dsps);
      r["bram18"] = cost.brams_18k;
      r["uram"] = cost.urams;
      r["levels"] = backends::logic_depth(builder.design()).total();
    } catch (const DesignError& e) {
      r["refused"] = e.what();
    }
    rows.push_back(std::move(r));
  }
  std::vector<std::string> columns{"build",     "clocks",      "mac_clk", "luts",
                                   "lut_rams",  "lut_per_mac", "ffs",     "slices",
                                   "mac_slice", "bram18",      "uram",    "levels"};
  if (std::ranges::any_of(rows, [](const Result& r) { return r.find("refused") != nullptr; }))
    columns.emplace_back("refused");
  rows.print(columns, o.json);
  return ok;
}

int run(const Options& o, flow::Context&) {
  if (o.netlist) return count_netlists(o);
  std::vector<std::pair<std::string, std::function<Graph()>>> networks;
  for (const std::string& name : o.files) {
    std::vector<fs::path> files{name};
    if (fs::is_directory(name)) {
      files.clear();
      for (const auto& entry : fs::directory_iterator(name))
        if (entry.path().extension() == ".onnx") files.push_back(entry.path());
      std::ranges::sort(files);
    }
    for (const fs::path& file : files)
      networks.emplace_back(file.stem().string(),
                            [file] { return flow::load_network(file).graph; });
  }
  std::vector<std::string> names;
  for (const Topology& t : engine_topologies()) names.emplace_back(t.name);
  for (const Topology& t : engine_topologies())
    if (o.files.empty() && (o.network.empty() || is_meant(t.name, o.network, names)))
      networks.emplace_back(t.name, t.make);
  if (networks.empty())
    throw UsageError(code::no_row,
                     o.files.empty()
                         ? fmt::format("--network {}: unknown network; use {}", o.network,
                                       fmt::join(names, ", "))
                         : fmt::format("{} has no file *.onnx", fmt::join(o.files, ", ")));
  if (o.layers && networks.size() != 1)
    throw UsageError(code::no_row, "--layers: there must be one network; name it");
  Results rows;
  if (o.layers) {
    add_rows_of_layers(networks[0].second(), o, rows);
    rows.print({"layer", "steps", "clocks", "mostly", "bytes_moved", "share_of_peak"}, o.json);
    return ok;
  }
  for (const auto& [name, make] : networks) rows.push_back(row_of_network(name, make(), o));
  std::vector<std::string> columns{"network",      "build",         "mac_clk",     "clocks",
                                   "least_clocks", "share_of_peak", "bytes_moved", "places"};
  if (std::ranges::any_of(rows, [](const Result& r) { return r.find("refused") != nullptr; }))
    columns.emplace_back("refused");
  rows.print(columns, o.json);
  return ok;
}

Run declare(CLI::App& app, Settings&) {
  const auto o = std::make_shared<Options>();
  auto* files = app.add_option("FILE", o->files,
                               "networks, as models or graphs, or folders of models (default: "
                               "networks of the literature with random weights)");
  app.add_option("--network", o->network,
                 "the network of this name, or all whose name has this in it")
      ->excludes(files);
  app.add_option("--rows", o->rows, "input channels at once")
      ->check(CLI::IsMember({4, 8, 16, 32, 64}))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--columns", o->columns, "output channels at once")
      ->check(CLI::IsMember({2, 4, 8, 16, 32, 64}))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--bus", o->bus,
                 "bytes of a beat of the streams: as many as columns, or twice, four times, ... as "
                 "many, and at most as many as rows (default: 32 if that can be)")
      ->check(CLI::IsMember({2, 4, 8, 16, 32, 64}))
      ->type_name("N");
  number(app, "--places", o->places, {64, 1 << 24}, "words of the memory of maps")
      ->capture_default_str();
  number(app, "--ring", o->ring, {1, 1 << 20}, "words of the ring of weights")
      ->capture_default_str();
  auto* batch = add_batch(app, o->batch);
  auto* layers = app.add_flag("--layers", o->layers, "a row for each layer of one network");
  auto* netlist = app.add_flag("--netlist", o->netlist, "count the netlist of the engine instead")
                      ->excludes(files)
                      ->excludes(batch)
                      ->excludes(layers);
  app.add_flag("--uram", o->uram, "with --netlist: the maps in UltraRAM")->needs(netlist);
  add_json(app, o->json);
  return runs(run, o);
}

}  // namespace
}  // namespace engine_table

Command bench_engine() {
  return {"engine", "what networks take on an engine, by their programs", engine_table::declare};
}

}  // namespace kumiki::cli
