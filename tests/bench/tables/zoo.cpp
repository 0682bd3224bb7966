// SPDX-License-Identifier: Apache-2.0
// `bench zoo`: models that another program judged (tests/judge/zoo/make.py): which are imported,
// how many values differ, how fast the interpreter is, and what pipelines of them cost.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/emit/report/report.h"
#include "gen/cli/run/answers.h"
#include "gen/device/fit.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/images.h"
#include "gen/flow/trained/network_source.h"
#include "gen/flow/trained/results.h"
#include "gen/onnx/import.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/built.h"
#include "tests/bench/tables/results.h"

namespace kumiki::cli {
namespace zoo_table {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string folder, row, device = "u250";
  const CLI::Option* device_option = nullptr;
  std::optional<std::int64_t> clocks, slices;
  bool json = false;
};

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// Three digits of what is measured.
double rounded(double value) { return std::stod(fmt::format("{:.3g}", value)); }

// NAME.FORM.onnx and the arrays beside it: NAME.FORM.out.npy, NAME.FORM.out1.npy, …
struct Model {
  fs::path file;
  std::string network, form;

  explicit Model(fs::path path) : file(std::move(path)) {
    const std::string stem = file.stem().string();
    const auto dot = std::min(stem.rfind('.'), stem.size());
    network = stem.substr(0, dot);
    form = stem.substr(std::min(dot + 1, stem.size()));
  }
  std::string array(std::string_view what, std::size_t i) const {
    const std::string stem = (file.parent_path() / file.stem()).string();
    return fmt::format("{}.{}{}.npy", stem, what, i == 0 ? "" : std::to_string(i));
  }
};

// Runs the images in one thread and compares every value of every output.
void compare(const Model& model, const flow::Network& network, Result& row) {
  const gen::graph::Graph& graph = network.graph;
  std::vector<std::string> files;
  for (const auto id : gen::graph::all_inputs(graph))
    files.push_back(fmt::format("{}={}", graph.tensors[id].name, model.array("in", files.size())));
  const flow::Images images = flow::read_images(graph, {.files = files});
  std::vector<flow::TensorNumbers> results;
  for (const gen::graph::TensorId id : graph.outputs) results.emplace_back(graph, id, images.count);
  const auto began = Clock::now();
  flow::compute(graph, images.numbers, images.count, 1, results);
  row["images_a_second"] = rounded(static_cast<double>(images.count) / seconds_since(began));
  std::size_t values = 0, differing = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Expected expected(model.array("out", i), results[i].tensor(), images.count, false);
    values += images.count * results[i].size();
    differing += expected.compare(results[i], images.count).numbers;
  }
  if (const std::string more = model.array("out", results.size()); fs::exists(more))
    throw DesignError(code::result_differs,
                      fmt::format("{} is there, but the network has {} output{}", more,
                                  results.size(), results.size() == 1 ? "" : "s"));
  row["values"] = values;
  row["differing"] = differing;
  row["outcome"] = differing == 0 ? "equal" : "differs";
}

void plan(const flow::Network& network, const Options& options, flow::Context& context,
          Result& row) {
  try {
    const BuiltPipeline built =
        built_pipeline(network.graph, row["network"].text(),
                       {.clocks = options.clocks, .slices = options.slices}, context);
    row["slices"] = built.total.dsps;
    row["luts"] = built.total.luts;
    row["lutmem"] = built.total.lut_rams;
    row["bram18"] = built.total.brams_18k;
    row["uram"] = built.total.urams;
    row["clocks"] = built.plan.interval();
    row["plan_seconds"] = rounded(built.seconds);
    row["fits"] = gen::device::fit(gen::device::device(options.device), built.total).fits();
  } catch (const Error& e) {
    row["no_pipeline"] = e.what();
  }
}

// Which networks an operator keeps out.
using Refusals = std::map<std::string, std::set<std::string>>;

Result row(const Model& model, const Options& options, flow::Context& context, Refusals& refusals) {
  Result r{{"network", model.network}, {"form", model.form}, {"outcome", Cell()}};
  const auto began = Clock::now();
  try {
    const flow::Network network = flow::load_network(model.file);
    r["import_seconds"] = rounded(seconds_since(began));
    r["notes"] = fmt::format("{}", fmt::join(network.notes, "\n"));
    compare(model, network, r);
    if (options.clocks || options.slices) plan(network, options, context, r);
  } catch (const gen::onnx::Refused& e) {
    r["outcome"] = "refused";
    r["operators"] = fmt::format("{}", fmt::join(e.operators, " "));
    r["reason"] = e.what();
    for (const std::string& op : e.operators) refusals[op].insert(model.network);
  } catch (const Error& e) {
    r["outcome"] = "failed";
    r["reason"] = e.what();
  }
  return r;
}

void print(const Refusals& refusals) {
  std::vector<std::vector<std::string>> lines{{"refused operator", "networks", "names"}};
  for (const auto& [op, networks] : refusals)
    lines.push_back(
        {op, std::to_string(networks.size()), fmt::format("{}", fmt::join(networks, " "))});
  std::ranges::stable_sort(lines.begin() + 1, lines.end(), std::greater(),
                           [](const auto& line) { return std::stoul(line[1]); });
  if (!refusals.empty()) fmt::print("\n{}", backends::table(lines));
}

// A difference that import does not announce.
bool is_wrong(const Result& r) {
  const std::string outcome = r["outcome"].text();
  return outcome == "failed" || (outcome == "differs" && r["notes"].text().empty());
}

int run(const Options& options, flow::Context& context) {
  const bool has_pipelines = options.clocks || options.slices;
  if (!has_pipelines)
    without_use(options.device_option->count() > 0, "--device",
                "a table without pipelines (--clocks and --slices count them)");
  std::vector<Model> models;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(options.folder))
    if (entry.path().extension() == ".onnx") models.emplace_back(entry.path());
  std::ranges::sort(models, {}, &Model::file);
  for (const Model& model : models) names.push_back(model.file.stem().string());
  Results rows;
  Refusals refusals;
  for (std::size_t i = 0; i < models.size(); ++i)
    if (is_meant(names[i], options.row, names))
      rows.push_back(row(models[i], options, context, refusals));
  if (rows.empty())
    throw UsageError(code::no_row,
                     fmt::format("{} has no model NAME.FORM.onnx whose name contains \"{}\"; "
                                 "tests/judge/zoo/make.py {} makes the models",
                                 options.folder, options.row, options.folder));
  std::vector<std::string> columns{"network", "form",      "outcome",         "differing",
                                   "values",  "operators", "images_a_second", "import_seconds"};
  if (has_pipelines)
    columns.insert(columns.end(), {"slices", "luts", "lutmem", "bram18", "uram", "clocks",
                                   "plan_seconds", "fits", "no_pipeline"});
  rows.print(columns, options.json);
  if (!options.json) print(refusals);
  return std::ranges::any_of(rows, is_wrong) ? design_failed : ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  app.add_option("FOLDER", o->folder,
                 "models NAME.FORM.onnx, each with its images NAME.FORM.in.npy and the values of "
                 "its outputs, NAME.FORM.out.npy, NAME.FORM.out1.npy, …")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--row", o->row,
                 "the model of this name, NAME.FORM, or all whose name has this in it");
  auto* clocks = number(app, "--clocks", o->clocks, {1, std::int64_t{1} << 40},
                        "count pipelines too: a frame in so many clocks at most");
  number(app, "--slices", o->slices, {1, 1 << 20}, "count pipelines too: so many DSP48E2 at most")
      ->excludes(clocks);
  o->device_option = app.add_option("--device", o->device, "whether pipelines fit it")
                         ->check(CLI::IsMember(gen::device::device_names()))
                         ->capture_default_str();
  add_json(app, o->json);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace zoo_table

Command bench_zoo() {
  return {"zoo", "ordinary networks: which are imported, what differs, what pipelines cost",
          zoo_table::declare};
}

}  // namespace kumiki::cli
