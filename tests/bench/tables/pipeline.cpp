// SPDX-License-Identifier: Apache-2.0
// `bench pipeline`: networks as pipelines: planned, counted, timed, with images run through the
// netlist.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "backends/support/files.h"
#include "backends/support/random.h"
#include "backends/timing/analysis.h"
#include "gen/flow/files/clock.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/network_source.h"
#include "gen/flow/trained/on_pipeline.h"
#include "gen/graph/text.h"
#include "gen/layers/pipeline/messages.h"
#include "ir/activity.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/built.h"
#include "tests/bench/tables/results.h"
#include "tests/bench/tables/topologies.h"

namespace kumiki::cli {
namespace pipeline_table {
namespace {

using gen::graph::Graph;
using gen::pipeline::PipelinePlan;

// Frames in a lane: the first ones fill the queues, the last two show the pace.
constexpr std::size_t frames_of_lane = 5;

struct Options {
  std::vector<std::string> files;
  std::optional<std::int64_t> clocks, slices;
  std::string network, graphs;
  std::size_t lanes = 2;
  bool json = false, plans_only = false, force = false;
};

// The formats of a network's products, weights and numbers, in the order of the layers.
std::string precision_of(const Graph& g) {
  std::vector<std::string> all;
  for (const auto& n : g.nodes)
    if (const auto* conv = std::get_if<gen::graph::Conv>(&n.op)) {
      const auto [least, most] = std::ranges::minmax(conv->weights);
      const int bits = gen::arith::signed_bits(gen::arith::Interval{least, most});
      const std::string pair =
          fmt::format("S{} x {}", bits, to_string(g.tensors[n.inputs[0]].format));
      if (std::ranges::find(all, pair) == all.end()) all.push_back(pair);
    }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<std::int32_t> random_images(const Graph& g, std::size_t count) {
  const auto& input = g.tensors[g.input];
  backends::lockstep::Random random(1, "images");
  std::vector<std::int32_t> all(count * gen::graph::count(input.shape));
  for (auto& n : all)
    n = static_cast<std::int32_t>(gen::arith::value_of(random.word(), input.format));
  return all;
}

// A network and its folding.
struct Case {
  std::string name;
  Graph graph;
  std::optional<std::int64_t> clocks;
  const char *in_luts = nullptr, *in_trees = nullptr;  // nodes that take no slice
};

Result row(const Case& of, const Options& options, flow::Context& context) {
  const auto& [name, graph, clocks, in_luts, in_trees] = of;
  gen::pipeline::Request request{.clocks = clocks, .slices = options.slices};
  if (in_luts) request.in_luts = in_luts;
  if (in_trees) request.in_trees = in_trees;
  const BuiltPipeline built = built_pipeline(graph, name, std::move(request), context);
  const PipelinePlan& plan = built.plan;
  const ir::Cost& total = built.total;
  ir::Activity activity("timing " + name);
  namespace timing = backends::timing;
  const timing::Netlist netlist(built.builder->design());
  const timing::Analysis a =
      timing::analyse(netlist, {.grade = flow::grade_of({}, {}), .paths = 0});

  const double macs_per_clock =
      static_cast<double>(plan.products()) / static_cast<double>(plan.interval());
  Result r{
      {"network", name},
      {"precision", precision_of(graph)},
      {"macs", plan.products()},
      {"fps_at_mhz", std::llround(a.mhz() * 1e6 / static_cast<double>(plan.interval()))},
      {"fps_at_100mhz", std::llround(1e8 / static_cast<double>(plan.interval()))},
      {"clock_mhz", std::llround(a.mhz())},
      {"slices", total.dsps},
      {"luts", total.luts},
      {"lutmem", total.lut_rams},
      {"ffs", total.ffs},
      {"bram18", total.brams_18k},
      {"macs_per_slice",
       total.dsps == 0 ? Cell()
                       : Cell(rounded(macs_per_clock / static_cast<double>(total.dsps), 1000))},
      {"lut_per_mac",
       rounded(static_cast<double>(total.luts + total.lut_rams) / macs_per_clock, 100)},
      {"levels", a.depth.total()},
      {"interval", plan.interval()},
      {"latency", Cell()},
      {"measured_interval", Cell()},
      {"exact", Cell()},
      {"seconds_to_netlist", rounded(built.seconds, 10)}};
  if (options.plans_only) return r;
  activity.at("running " + name);
  const std::size_t count = frames_of_lane * options.lanes;
  const auto images = random_images(graph, count);
  try {
    const flow::Pace pace = compute_on_pipeline(
        {.plan = plan, .machine = "native", .hosts = options.lanes}, images, count, {}, context);
    r["measured_interval"] = *pace.between;
    r["latency"] = pace.first;
    r["exact"] = true;
  } catch (const DesignError& e) {
    if (e.code() != code::pipeline_differs) throw;
    fmt::print(stderr, "{}: {}\n", name, e.what());
    r["exact"] = false;
  }
  return r;
}

const std::vector<std::string> columns{"network",
                                       "precision",
                                       "fps_at_mhz",
                                       "clock_mhz",
                                       "slices",
                                       "luts",
                                       "lutmem",
                                       "ffs",
                                       "bram18",
                                       "interval",
                                       "measured_interval",
                                       "latency",
                                       "macs_per_slice",
                                       "lut_per_mac",
                                       "levels",
                                       "exact"};

std::vector<std::string> names_of_topologies() {
  std::vector<std::string> all;
  for (const Topology& t : topologies()) all.emplace_back(t.name);
  return all;
}

int run(const Options& options, flow::Context& context) {
  if (options.clocks && options.slices)
    throw UsageError(code::option_needs,
                     "--clocks and --slices are both given; give one of the two");
  const bool is_folded = options.clocks || options.slices;
  if (!options.files.empty() && !is_folded)
    throw UsageError(code::option_needs,
                     "networks of files need --clocks N, a frame in so many clocks at most, or "
                     "--slices N, so many DSP48E2 at most");
  Results rows;
  backends::OutputSet graphs;
  const auto measure = [&](const Case& of) {
    graphs.add(of.name + ".graph", gen::graph::to_text(of.graph));
    rows.push_back(row(of, options, context));
  };
  for (const std::string& file : options.files)
    measure({.name = std::filesystem::path(file).stem().string(),
             .graph = flow::load_network(file).graph,
             .clocks = options.clocks});
  const std::vector<std::string> names = names_of_topologies();
  for (const Topology& t : topologies())
    if (options.files.empty() &&
        (options.network.empty() ? !t.is_large : is_meant(t.name, options.network, names)))
      measure({.name = t.name,
               .graph = t.make(),
               .clocks = is_folded ? options.clocks : t.clocks,
               .in_luts = t.in_luts,
               .in_trees = t.in_trees});
  if (rows.empty())
    throw UsageError(code::no_row, fmt::format("--network {}: unknown network; use {}",
                                               options.network, fmt::join(names, ", ")));
  if (!options.graphs.empty()) graphs.commit(options.graphs, theirs(options.force));
  rows.print(columns, options.json);
  const auto is_wrong = [](const Result& r) {
    return (r["exact"].is_known() && !r["exact"].flag()) ||
           (r["measured_interval"].is_known() && r["measured_interval"] != r["interval"]);
  };
  return std::ranges::any_of(rows, is_wrong) ? design_failed : ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  auto* files =
      app.add_option("FILE", o->files,
                     "networks, as models or graphs (default: topologies of the literature with "
                     "random weights, each at a pace of its own)");
  app.add_option("--network", o->network,
                 "the topology of this name, or all whose name has this in it, those that take "
                 "minutes as well")
      ->excludes(files);
  number(app, "--clocks", o->clocks, {1, std::int64_t{1} << 40},
         "a frame in so many clocks at most, with the fewest slices");
  number(app, "--slices", o->slices, {1, 1 << 20},
         "so many DSP48E2 at most, with the fewest clocks of a frame");
  number(app, "--lanes", o->lanes, {1, 64},
         "random images side by side on the netlist, five in each lane (default: 2)");
  app.add_flag("--plans-only", o->plans_only,
               "send no images: measured_interval and exact are null");
  app.add_option("--graphs", o->graphs, "folder for the networks as graphs");
  add_force(app, o->force);
  add_json(app, o->json);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace pipeline_table

Command bench_pipeline() {
  return {"pipeline",
          "networks as pipelines: slices, LUTs, clocks a frame, and images through them",
          pipeline_table::declare};
}

}  // namespace kumiki::cli
