// SPDX-License-Identifier: Apache-2.0
// `run`: sends images through a trained network as integers, by its definition, on an array or
// through a pipeline. It gives the numbers of its tensors and compares them with expected ones and
// with labels.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <set>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/cli/output.h"
#include "gen/cli/run/answers.h"
#include "gen/config/messages.h"
#include "gen/config/nearest.h"
#include "gen/config/writer.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/images.h"
#include "gen/flow/trained/messages.h"
#include "gen/flow/trained/on_array.h"
#include "gen/flow/trained/on_engine.h"
#include "gen/flow/trained/on_pipeline.h"
#include "gen/flow/trained/results.h"
#include "gen/flow/trained/subject.h"
#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/pipeline/picture.h"
#include "ir/activity.h"
#include "ir/limits.h"
#include "ir/name_pool.h"

namespace kumiki::cli {
namespace {

namespace fs = std::filesystem;
using gen::graph::Graph;
using gen::graph::Tensor;
using gen::graph::TensorId;

// Shown by default: images, and numbers of each.
constexpr std::size_t images_shown = 10, numbers_shown = 16, numbers_in_json = 1000;

struct RunOptions {
  std::string network;
  flow::ImageOptions images;
  std::string output, expect, labels, tensor, tensors;  // files, a name, a folder
  std::string picture;                                  // file
  std::string as = "numbers";
  std::string with;                // machine; "": by definition
  unsigned threads = 0, jobs = 0;  // 0: one for each processor
  bool force = false, json = false;

  bool as_softmax() const { return as == "softmax"; }
  bool as_reals() const { return as == "float" || as_softmax(); }
  // If nothing is written or compared, the first numbers are printed.
  bool shows() const {
    return output.empty() && expect.empty() && labels.empty() && tensors.empty();
  }
};

// --input takes all files after it; a network at the end is not one of them.
void take_network(RunOptions& o) {
  auto& files = o.images.files;
  if (o.network.empty() && files.size() > 1)
    if (const fs::path last = files.back(); flow::is_network(last) || last.extension() == ".json") {
      o.network = files.back();
      files.pop_back();
    }
  if (o.network.empty())
    throw UsageError(code::missing_argument,
                     "run needs a network: give MODEL.onnx, NAME.graph or NET.json, before --input "
                     "or after all of its files");
}

// Refuses options without effect, and files that would be replaced.
void require_use(const RunOptions& o, bool has_as) {
  if (!o.tensor.empty() && !o.shows() && o.output.empty() && o.expect.empty())
    throw UsageError(code::option_needs,
                     "--tensor says of which tensor --output and --expect are; give one of them, "
                     "or leave out --labels and --tensors");
  if (o.as_softmax() && !o.tensors.empty())
    throw UsageError(code::option_needs,
                     "--as softmax is for the results of the network; write them with --output, or "
                     "remove --tensors");
  if (has_as && !o.shows() && o.output.empty() && o.tensors.empty())
    throw UsageError(code::option_needs,
                     "--as says what --output and --tensors write; give one of them, or leave out "
                     "--expect and --labels");
  if (!o.picture.empty()) {
    if (fs::path(o.picture).extension() != ".svg")
      throw UsageError(code::unknown_suffix,
                       fmt::format("--picture {}: the name must end with .svg", o.picture));
    flow::require_free(o.picture, o.force, "--picture");
  }
  if (o.force && o.output.empty() && o.tensors.empty() && o.picture.empty())
    throw UsageError(code::option_needs,
                     "--force says that files may be replaced; give --output, --tensors or "
                     "--picture, or remove --force");
  if (o.output.empty()) return;
  if (fs::path(o.output).extension() != ".npy")
    throw UsageError(code::unknown_suffix,
                     fmt::format("--output {}: the name must end with .npy", o.output));
  flow::require_free(o.output, o.force, "--output");
}

// The tensors with numbers: the input and the results of nodes. An array has no result that it
// pools before it leaves; a pipeline and an engine have only their outputs.
std::vector<TensorId> made_tensors(const flow::Subject& subject, bool by_definition) {
  const Graph& g = subject.network.graph;
  std::vector<TensorId> all = gen::graph::all_inputs(g);
  if (!by_definition && (subject.pipeline || subject.engine)) {
    all.insert(all.end(), g.outputs.begin(), g.outputs.end());
    return all;
  }
  const gen::array::Lowering* lowering = by_definition ? nullptr : subject.program->lowering.get();
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const TensorId made = g.nodes[i].output;
    if (lowering && lowering->nodes[i].place == gen::array::Place::array &&
        lowering->layers[lowering->nodes[i].layer].output != made)
      continue;
    all.push_back(made);
  }
  return all;
}

// The tensor of --tensor, or the first output.
TensorId chosen_tensor(const flow::Subject& subject, const RunOptions& o,
                       const std::vector<TensorId>& made) {
  const Graph& g = subject.network.graph;
  if (o.tensor.empty()) return g.outputs[0];
  std::vector<std::string> names;
  for (const TensorId id : made) {
    if (g.tensors[id].name == o.tensor) return id;
    names.push_back(g.tensors[id].name);
  }
  if (std::ranges::find(g.tensors, o.tensor, &Tensor::name) != g.tensors.end())
    throw UsageError(
        code::unknown_name,
        fmt::format("--tensor {}: {}; name another tensor, or leave out --with", o.tensor,
                    subject.pipeline ? "it stays within the pipeline"
                    : subject.engine ? "it stays within the engine"
                                     : "the array pools or steps it before it leaves"));
  const auto shown = std::min<std::size_t>(names.size(), 20);
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(shown));
  throw UsageError(
      code::unknown_name,
      fmt::format("{} makes no tensor \"{}\"{}", o.network, o.tensor,
                  gen::config::did_you_mean(o.tensor, names,
                                            fmt::format("use {}{}", fmt::join(first, ", "),
                                                        names.size() > 20 ? ", …" : ""))));
}

// Each once, in the order of the network.
std::vector<TensorId> wanted_tensors(const Graph& g, const RunOptions& o, TensorId chosen,
                                     const std::vector<TensorId>& made) {
  std::set<TensorId> wanted;
  if (!o.tensors.empty()) wanted.insert(made.begin(), made.end());
  if (!o.output.empty() || !o.expect.empty() || !o.tensor.empty()) wanted.insert(chosen);
  if (!o.labels.empty()) wanted.insert(g.outputs[0]);
  if (o.shows() && o.tensor.empty()) wanted.insert(g.outputs.begin(), g.outputs.end());
  return {wanted.begin(), wanted.end()};
}

void require_room(const Graph& g, const RunOptions& o, const std::vector<TensorId>& wanted,
                  std::size_t images) {
  std::uint64_t of_image = 0;
  for (const TensorId id : wanted)
    of_image += flow::TensorNumbers::bytes_of_image(g.tensors[id], o.as_reals());
  if (of_image * images <= flow::most_bytes_of_a_run) return;
  const std::uint64_t most = flow::most_bytes_of_a_run / of_image;
  throw ir::LimitError(
      code::too_many_images,
      fmt::format("the results of {} image{} take {} bytes, more than {}; use {}", images,
                  images == 1 ? "" : "s", of_image * images, flow::most_bytes_of_a_run,
                  most == 0 ? "one tensor (--tensor)" : fmt::format("--images {} or fewer", most)));
}

// A file name that every file system accepts; "" becomes "_".
std::string file_name(const std::string& tensor) {
  constexpr std::size_t longest = 100;
  std::string name;
  for (const char c : tensor.substr(0, longest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  return name.empty() ? "_" : name;
}

struct Written {
  std::string file;
  const flow::TensorNumbers* results;
};

// Writes every tensor to its own file; files with equal names get a number.
std::vector<Written> write_tensors(const RunOptions& o, std::span<const flow::TensorNumbers> all) {
  const ir::Activity doing("writing " + o.tensors);
  backends::OutputSet files;
  std::vector<Written> written;
  std::set<std::string> names;
  for (const flow::TensorNumbers& r : all) {
    const std::string plain = file_name(r.tensor().name);
    std::string name = plain;
    for (int i = 2; !names.insert(ir::lower_case(name)).second; ++i)
      name = fmt::format("{}_{}", plain, i);
    files.add(name + ".npy", r.npy(o.as_reals()));
    written.push_back({(fs::path(o.tensors) / (name + ".npy")).string(), &r});
  }
  write_part(files, o.tensors, "run", theirs(o.force));
  return written;
}

void write_named(const RunOptions& o, const std::string& file, const std::string& bytes) {
  const ir::Activity doing("writing " + file);
  backends::write_named_file(file, bytes, theirs(o.force));
}

// All results of a run.
struct Report {
  const flow::Subject& subject;
  const RunOptions& options;
  const flow::Images& images;
  std::span<const flow::TensorNumbers> results;
  std::vector<Written> written = {};
  std::optional<std::size_t> right = {};  // images whose answer matches the label
  const Expected* expected = nullptr;
  const flow::TensorNumbers* compared = nullptr;
  Expected::Difference difference = {};
  std::optional<std::int64_t> clocks = {};  // for an image on the array
  std::optional<flow::Pace> pace = {};      // for a pipeline

  const flow::Network& network() const { return subject.network; }
  double images_a_second() const { return 1e6 * subject.clock_mhz / static_cast<double>(*clocks); }
};

std::string in_words(const Tensor& t) {
  return fmt::format("{} of {}, scale {}, zero point {}", gen::graph::to_string(t.shape),
                     to_string(t.format), t.scale, t.zero_point);
}

void print_numbers(const Report& r) {
  for (const flow::TensorNumbers& one : r.results) {
    fmt::print("\n{}: {}\n", one.tensor().name, in_words(one.tensor()));
    const std::size_t shown = std::min(one.size(), numbers_shown);
    for (std::size_t i = 0; i < r.images.count; ++i) {
      fmt::print("  image {:<4}", i);
      if (r.options.as_reals())
        for (const auto reals = one.reals(i); const float real : std::span(reals).first(shown))
          fmt::print(" {:>4}", fmt::format("{}", real));
      else
        for (std::size_t k = 0; k < shown; ++k) fmt::print(" {:>4}", one.at(i, k));
      fmt::print("{}\n", shown < one.size() ? fmt::format(" … ({} in all)", one.size()) : "");
    }
  }
}

using gen::config::Writer;

double percent(const Report& r) {
  return 100.0 * static_cast<double>(*r.right) / static_cast<double>(r.images.count);
}

// Images in a second, or below one image in a second the seconds for an image.
std::string rate_text(double images_a_second) {
  if (images_a_second < 1) return fmt::format("{:.1f} seconds an image", 1 / images_a_second);
  return fmt::format("{:.{}f} images a second", images_a_second, images_a_second < 10 ? 1 : 0);
}

void print_array(const Report& r) {
  const gen::array::ArrayPlan& p = r.subject.program->plan;
  fmt::print(
      "{}: {} x {} elements with {} accumulators on {} slices{}\n"
      "{}: {} clocks an image, {} at {} MHz; every result of {} layers as "
      "defined\n",
      r.subject.layer, p.rows(), p.columns(), p.depth(), p.slices() + p.output_slices(),
      r.subject.suggested ? ", taken as no configuration names one (kumiki import --as array "
                            "writes it)"
                          : "",
      r.options.with, *r.clocks, rate_text(r.images_a_second()), r.subject.clock_mhz,
      r.subject.program->layers.size());
}

void print_engine(const Report& r) {
  const gen::engine::CorePlan& c = r.subject.engine->plan.core;
  fmt::print(
      "{}: {} rows x {} columns on {} slices\n{}: {} clocks an image; every result as "
      "defined\n",
      r.subject.layer, c.shape.rows, c.shape.columns, c.slices(), r.options.with, *r.clocks);
}

void print_pipeline(const Report& r) {
  const gen::pipeline::PipelinePlan& p = *r.subject.pipeline;
  fmt::print(
      "{}: {} machines on {} slices\n{}: the first image leaves after {} clocks{}; every "
      "result as defined\n",
      r.subject.layer, p.boxes.size(), p.slices(), r.options.with, r.pace->first,
      r.pace->between ? fmt::format(", the next ones every {} clocks (planned {})",
                                    *r.pace->between, p.interval())
                      : "");
}

void write_pipeline(Writer& w, const Report& r) {
  const gen::pipeline::PipelinePlan& p = *r.subject.pipeline;
  w.object("pipeline", [&] {
    w.member("name", r.subject.layer);
    w.member("machine", r.options.with);
    w.member("machines", p.boxes.size());
    w.member("slices", p.slices());
    w.member("interval", p.interval());
    w.member("measured_interval", r.pace->between);
    w.member("clocks_of_the_first_image", r.pace->first);
    if (const auto& fill = r.pace->fill) {
      w.member("clocks_of_the_queues", fill->clocks);
      w.member("queues", gen::pipeline::queues_of(p, *fill));
    }
  });
}

void write_engine(Writer& w, const Report& r) {
  const gen::engine::CorePlan& c = r.subject.engine->plan.core;
  w.object("engine", [&] {
    w.member("name", r.subject.layer);
    w.member("machine", r.options.with);
    w.member("rows", c.shape.rows);
    w.member("columns", c.shape.columns);
    w.member("slices", c.slices());
    w.member("clocks_an_image", *r.clocks);
  });
}

void write_array(Writer& w, const Report& r) {
  const gen::array::ArrayPlan& p = r.subject.program->plan;
  w.object("array", [&] {
    w.member("name", r.subject.layer);
    w.member("machine", r.options.with);
    w.member("suggested", r.subject.suggested);
    w.member("rows", p.rows());
    w.member("columns", p.columns());
    w.member("accumulators", p.depth());
    w.member("slices", p.slices() + p.output_slices());
    w.member("layers", r.subject.program->layers.size());
    w.member("clocks_an_image", *r.clocks);
    w.member("clock_mhz", r.subject.clock_mhz);
    w.member("images_a_second", r.images_a_second());
  });
}

void print(const Report& r) {
  for (const std::string& note : r.network().notes) fmt::print("{}\n", note);
  const std::size_t count = r.images.count;
  fmt::print("{}: {} image{}{}\n", r.network().graph.name, count, count == 1 ? "" : "s",
             count < r.images.there ? fmt::format(", the first of {}", r.images.there) : "");
  fmt::print("input: {}\n", r.images.rule);
  if (!r.images.doubt.empty()) fmt::print("input: {}\n", r.images.doubt);
  if (r.images.saturated > 0)
    fmt::print("input: {} of {} values lie beyond what {} holds and became its nearest number\n",
               r.images.saturated, r.images.numbers.size(),
               r.network().graph.tensors[r.network().graph.input].name);
  if (r.clocks) r.subject.engine ? print_engine(r) : print_array(r);
  if (r.pace) print_pipeline(r);
  if (r.options.shows()) print_numbers(r);
  for (const Written& w : r.written)
    fmt::print("{}: {}, {} of {}\n", w.file, w.results->tensor().name,
               gen::config::to_string(w.results->shape()),
               to_string(w.results->type(r.options.as_reals())));
  if (r.expected && r.difference.numbers == 0)
    fmt::print("{}: all {} numbers of {} are equal\n", r.expected->name(),
               count * r.compared->size(), r.compared->tensor().name);
  if (r.right) fmt::print("accuracy {:.2f} % ({} of {})\n", percent(r), *r.right, count);
}

void write_numbers(Writer& w, const Report& r, const flow::TensorNumbers& one) {
  const Tensor& t = one.tensor();
  w.member("tensor", t.name);
  w.member("shape", t.shape);
  w.member("scale", t.scale);
  w.member("zero_point", t.zero_point);
  const std::size_t shown = std::min(one.size(), numbers_in_json);
  if (shown < one.size()) w.member("numbers_shown", shown);
  w.key("images");
  w.begin_list();
  for (std::size_t i = 0; i < r.images.count; ++i) {
    w.begin_list();
    if (r.options.as_reals())
      for (const auto reals = one.reals(i); const float real : std::span(reals).first(shown))
        w.number(real);
    else
      for (std::size_t k = 0; k < shown; ++k) w.integer(one.at(i, k));
    w.end_list();
  }
  w.end_list();
}

void print_json(const Report& r) {
  Writer w;
  w.object([&] {
    w.member("network", r.network().graph.name);
    if (!r.network().notes.empty()) w.member("notes", r.network().notes);
    w.member("images", r.images.count);
    w.member("images_in_files", r.images.there);
    w.object("input", [&] {
      w.member("tensor", r.network().graph.tensors[r.network().graph.input].name);
      w.member("rule", r.images.rule);
      w.member("lowest", static_cast<std::int64_t>(r.images.range.lo));
      w.member("highest", static_cast<std::int64_t>(r.images.range.hi));
      if (!r.images.doubt.empty()) w.member("doubt", r.images.doubt);
      w.member("values_beyond", r.images.saturated);
    });
    if (r.clocks) r.subject.engine ? write_engine(w, r) : write_array(w, r);
    if (r.pace) write_pipeline(w, r);
    if (r.options.shows())
      w.objects("outputs", r.results,
                [&](const flow::TensorNumbers& one) { write_numbers(w, r, one); });
    w.objects("written", r.written, [&](const Written& f) {
      w.member("file", f.file);
      w.member("tensor", f.results->tensor().name);
      w.member("type", to_string(f.results->type(r.options.as_reals())));
      w.member("shape", f.results->shape());
    });
    if (r.expected)
      w.object("expected", [&] {
        w.member("file", r.expected->name());
        w.member("tensor", r.compared->tensor().name);
        w.member("numbers", r.images.count * r.compared->size());
        w.member("numbers_that_differ", r.difference.numbers);
        w.member("images_that_differ", r.difference.images);
      });
    if (r.right)
      w.object("accuracy", [&] {
        w.member("right", *r.right);
        w.member("images", r.images.count);
        w.member("percent", percent(r));
      });
  });
  fmt::print("{}\n", w.printed());
}

const flow::TensorNumbers& of(std::span<const flow::TensorNumbers> all, TensorId id) {
  return *std::ranges::find(all, id, &flow::TensorNumbers::id);
}

int run_network(const RunOptions& given, bool has_as, flow::Context& context) {
  RunOptions o = given;
  take_network(o);
  require_use(o, has_as);
  if (o.jobs > 0 && o.with != "verilator")
    throw UsageError(code::option_needs, "--jobs is for the compilers of --with verilator");
  const flow::Subject subject = load_subject(o.network, !o.with.empty(), context);
  if (!o.picture.empty() && (o.with.empty() || !subject.pipeline))
    throw UsageError(code::option_needs,
                     "--picture draws a pipeline with what was measured on it; use it with --with "
                     "and a configuration that has a dataflow layer");
  const Graph& g = subject.network.graph;
  const auto made = made_tensors(subject, o.with.empty());
  const TensorId chosen = chosen_tensor(subject, o, made);
  if (o.shows()) o.images.enough = images_shown;
  const flow::Images images = flow::read_images(g, o.images);
  const bool only_first = o.images.asked.has_value();
  std::optional<Expected> expected;
  if (!o.expect.empty()) expected.emplace(o.expect, g.tensors[chosen], images.count, only_first);
  std::optional<ImageLabels> labels;
  if (!o.labels.empty()) labels.emplace(o.labels, g, images.count, only_first);

  const auto wanted = wanted_tensors(g, o, chosen, made);
  require_room(g, o, wanted, images.count);
  std::vector<flow::TensorNumbers> results;
  for (const TensorId id : wanted) {
    results.emplace_back(g, id, images.count);
    if (o.as_softmax()) results.back().use_softmax();
  }
  const auto begin = std::chrono::steady_clock::now();
  std::optional<std::int64_t> clocks;
  std::optional<flow::Pace> pace;
  if (o.with.empty())
    compute(g, images.numbers, images.count, o.threads, results);
  else if (subject.engine)
    clocks = compute_on_engine({.engine = *subject.engine,
                                .machine = o.with,
                                .family = subject.family,
                                .threads = o.threads,
                                .jobs = o.jobs},
                               images.numbers, images.count, results, context);
  else if (subject.pipeline)
    pace = compute_on_pipeline({.plan = *subject.pipeline,
                                .machine = o.with,
                                .family = subject.family,
                                .jobs = o.jobs,
                                .measures = !o.picture.empty()},
                               images.numbers, images.count, results, context);
  else
    clocks = compute_on_array({.program = *subject.program,
                               .machine = o.with,
                               .family = subject.family,
                               .threads = o.threads,
                               .jobs = o.jobs},
                              images.numbers, images.count, results, context);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;

  Report report{.subject = subject, .options = o, .images = images, .results = results};
  report.clocks = clocks;
  report.pace = pace;
  if (!o.tensors.empty()) report.written = write_tensors(o, results);
  if (!o.output.empty()) {
    write_named(o, o.output, of(results, chosen).npy(o.as_reals()));
    report.written.push_back({o.output, &of(results, chosen)});
  }
  if (pace && pace->fill)
    write_named(o, o.picture, gen::pipeline::pipeline_svg(*subject.pipeline, &*pace->fill));
  if (labels) report.right = labels->right(of(results, g.outputs[0]), images.count);
  if (expected) {
    report.expected = &*expected;
    report.compared = &of(results, chosen);
    report.difference = expected->compare(*report.compared, images.count);
  }
  if (o.json)
    print_json(report);
  else
    print(report);
  fmt::print(stderr, "{}\n", rate_text(static_cast<double>(images.count) / taken.count()));
  if (report.difference.numbers > 0)
    throw DesignError(code::result_differs,
                      to_string(report.difference, *report.compared, *expected, images.count));
  return ok;
}

Run declare_run(CLI::App& app, Settings& settings) {
  const auto options = std::make_shared<RunOptions>();
  RunOptions& o = *options;
  app.add_option("network", o.network,
                 "the network: MODEL.onnx, a graph in text form, NAME.graph, or a configuration "
                 "with a pe_array, dataflow or engine layer that runs a graph, NET.json");
  app.add_option(
         "--with", o.with,
         "layers on the array, pipeline or engine: its netlist, native (64 images at once) or "
         "verilator, or its model; every result is compared with the definition, a difference is "
         "exit code 1; what an array has no layer for is done by the "
         "definition (kumiki plan says what)")
      ->check(CLI::IsMember({"model", "native", "verilator"}));
  app.add_option("--input", o.images.files,
                 "images: .npy with integers (numbers of the input as they are) or with real "
                 "numbers, PNG, PGM, PPM or IDX (pixels / 255); real numbers and pixels are "
                 "quantised as ONNX' QuantizeLinear does it; several files one behind the other; "
                 "NAME=FILE if the network has several inputs")
      ->required()
      ->take_all();
  number(app, "--images", o.images.asked, {1, 1'000'000'000},
         "only so many images, the first ones");
  add_scaling(app, o.images.mean, o.images.deviation);
  app.add_option("--output", o.output, ".npy file for the first output, images first");
  app.add_option("--expect", o.expect,
                 ".npy file of what the first output should be: integers are compared with its "
                 "numbers, floats with their float32 values; a difference is exit code 1");
  app.add_option("--labels", o.labels,
                 ".npy or IDX file of a label an image: prints the accuracy of the first output");
  app.add_option("--tensor", o.tensor, "this tensor instead of the first output");
  app.add_option("--picture", o.picture,
                 ".svg file of a pipeline: how busy its machines are, how full its queues were in "
                 "as many clocks as the run took");
  app.add_option("--tensors", o.tensors, "folder for every tensor, NAME.npy each");
  const auto* as = app.add_option("--as", o.as,
                                  "what is written: numbers, float: (number - zero point) * "
                                  "scale in float32, or softmax: that of the floats of a vector, "
                                  "as onnxruntime computes it")
                       ->check(CLI::IsMember({"numbers", "float", "softmax"}))
                       ->capture_default_str();
  number(app, "--threads", o.threads, {1, 256}, "threads (default: one a processor)");
  add_jobs(app, o.jobs);
  add_force(app, o.force);
  add_json(app, o.json);
  add_cache(app, settings);
  add_trace(app, settings);
  return [options, as](flow::Context& context) {
    return run_network(*options, as->count() > 0, context);
  };
}

}  // namespace

Command run_command() {
  return {"run", "run a trained network on images: its numbers, its accuracy, what differs",
          declare_run};
}

}  // namespace kumiki::cli
