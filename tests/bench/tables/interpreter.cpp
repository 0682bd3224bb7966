// SPDX-License-Identifier: Apache-2.0
// `bench interpreter`: the images a second of the interpreter, the judge of every machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "backends/support/random.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/network_source.h"
#include "gen/graph/interpret.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"
#include "tests/bench/tables/topologies.h"

namespace kumiki::cli {
namespace interpreter_table {
namespace {

using gen::graph::Graph;

struct Options {
  std::vector<std::string> files;
  std::string network;
  unsigned threads = 1;
  std::uint32_t images = 10;
  bool json = false;
};

std::uint64_t products_of(const Graph& g) {
  std::uint64_t all = 0;
  for (const auto& n : g.nodes)
    if (const auto* conv = std::get_if<gen::graph::Conv>(&n.op)) {
      const gen::graph::Shape& map = g.tensors[n.output].shape;
      all += conv->weights.size() * static_cast<std::uint64_t>(map[1] * map[2]);
    }
  return all;
}

// The fastest image counts, because other work on the machine only slows images down.
Result row(const std::string& name, const Graph& g, const Options& options) {
  const auto& input = g.tensors[g.input];
  backends::lockstep::Random random(1, "images");
  std::vector<std::int32_t> image(gen::graph::count(input.shape));
  for (auto& n : image)
    n = static_cast<std::int32_t>(gen::arith::value_of(random.word(), input.format));
  const gen::graph::Interpreter network(g);
  gen::graph::Interpreter::Runner runner(network, g.outputs, options.threads);
  double seconds = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < options.images; ++i) {
    const auto start = std::chrono::steady_clock::now();
    runner.run(image);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds = std::min(seconds, taken.count());
  }
  const std::uint64_t products = products_of(g);
  return {{"network", name},
          {"products", products},
          {"threads", options.threads},
          {"images_per_second", 1 / seconds},
          {"products_per_second", static_cast<double>(products) / seconds}};
}

int run(const Options& options, flow::Context&) {
  Results rows;
  std::vector<std::string> names;
  for (const Topology& t : interpreted_topologies()) names.emplace_back(t.name);
  for (const std::string& file : options.files)
    rows.push_back(
        row(std::filesystem::path(file).stem().string(), flow::load_network(file).graph, options));
  for (const Topology& t : interpreted_topologies())
    if (options.files.empty() &&
        (options.network.empty() || is_meant(t.name, options.network, names)))
      rows.push_back(row(t.name, t.make(), options));
  if (rows.empty())
    throw UsageError(code::no_row, fmt::format("--network {}: unknown network; use {}",
                                               options.network, fmt::join(names, ", ")));
  rows.print({"network", "products", "threads", "images_per_second", "products_per_second"},
             options.json);
  return ok;
}

Run declare(CLI::App& app, Settings&) {
  const auto o = std::make_shared<Options>();
  auto* files = app.add_option("FILE", o->files,
                               "networks, as models or graphs (default: networks of the "
                               "literature with random weights)");
  app.add_option("--network", o->network,
                 "the network of this name, or all whose name has this in it")
      ->excludes(files);
  number(app, "--threads", o->threads, {1, 256}, "threads that share an image")
      ->capture_default_str();
  number(app, "--images", o->images, {1, 1'000'000}, "images, of which the fastest counts")
      ->capture_default_str();
  add_json(app, o->json);
  return runs(run, o);
}

}  // namespace
}  // namespace interpreter_table

Command bench_interpreter() {
  return {"interpreter", "how many images a second the interpreter of networks takes",
          interpreter_table::declare};
}

}  // namespace kumiki::cli
