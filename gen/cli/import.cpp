// SPDX-License-Identifier: Apache-2.0
// `import`: turns a trained and quantised ONNX model into a graph of integers and reports what was
// understood. Or it writes a configuration whose layers run on an array, with the graph next to it.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/support/file.h"
#include "backends/support/files.h"
#include "backends/support/notice.h"
#include "gen/cli/calibrate.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/config/kind.h"
#include "gen/config/writer.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/output.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/configuration.h"
#include "gen/flow/trained/messages.h"
#include "gen/flow/trained/network_source.h"
#include "gen/graph/plan.h"
#include "gen/graph/text.h"
#include "gen/onnx/import.h"
#include "ir/activity.h"

namespace kumiki::cli {
namespace {

namespace graph = gen::graph;

struct ImportOptions {
  std::string model, out, averages = "onnxruntime";
  CalibrationOptions calibration;
  flow::LayerFor layer;
  bool operators = false;  // print the table of supported operators
  bool force = false;
  bool json = false;
  const CLI::Option* max_cells = nullptr;

  bool calibrates() const { return !calibration.images.empty(); }
};

int list_operators(bool json) {
  const auto all = gen::onnx::supported();
  gen::config::Writer w;
  std::size_t op = 0, as = 0;
  for (const auto& s : all) {
    op = std::max(op, s.op.size());
    as = std::max(as, s.as.size());
  }
  w.begin_list();
  for (const auto& s : all) {
    if (!json) {
      fmt::print("{:{}}  {:{}}  {}\n", s.op, op, s.as, s.limits.empty() ? 0 : as, s.limits);
      continue;
    }
    w.object([&] {
      w.member("operator", s.op);
      w.member("as", s.as);
      w.member("limits", s.limits);
    });
  }
  w.end_list();
  if (json) fmt::print("{}\n", w.printed());
  return ok;
}

// A node for printing.
struct NodeRow {
  std::string name, op, shapes, requantised;
  std::size_t weights = 0;
};

std::vector<NodeRow> rows_of(const graph::Graph& g) {
  const ir::Activity activity("proving the requantisation of every channel");
  std::vector<NodeRow> rows;
  for (const graph::Node& n : g.nodes) {
    NodeRow row{.name = n.name, .op = graph::description(n.op)};
    if (!n.inputs.empty()) row.shapes = graph::to_string(g.tensors[n.inputs[0]].shape) + " ";
    row.shapes += "-> " + graph::to_string(g.tensors[n.output].shape);
    if (const auto* conv = std::get_if<graph::Conv>(&n.op)) row.weights = conv->weights.size();
    if (const auto all = graph::requantisers(g, n); !all.empty())
      row.requantised = graph::summary(all);
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_text(const graph::Graph& g, const std::vector<NodeRow>& rows,
                const std::vector<std::string>& notes) {
  std::size_t name = 0, op = 0, shapes = 0, weights = 0;
  for (const NodeRow& r : rows) {
    name = std::max(name, r.name.size());
    op = std::max(op, r.op.size());
    shapes = std::max(shapes, r.shapes.size());
    weights += r.weights;
  }
  fmt::print("{}: {} nodes, {} weights\n", g.name, g.nodes.size(), weights);
  fmt::print("{}\n", flow::ends_text(g));
  for (const NodeRow& r : rows) {
    fmt::print("{:{}}  {:{}}  {:{}}{}\n", r.name, name, r.op, op, r.shapes,
               r.weights > 0 ? shapes : 0,
               r.weights > 0 ? fmt::format("  {} weights", r.weights) : "");
    if (!r.requantised.empty()) fmt::print("  {}\n", r.requantised);
  }
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
}

void print_json(const graph::Graph& g, const std::vector<NodeRow>& rows,
                const std::vector<std::string>& notes, const CalibrationReport* calibration) {
  gen::config::Writer w;
  auto tensor = [&](const graph::Tensor& t) {
    w.object([&] {
      w.member("name", t.name);
      w.member("shape", t.shape);
      w.member("bits", t.format.bits);
      w.member("signed", t.format.is_signed);
      w.member("scale", static_cast<double>(t.scale));
      w.member("zero_point", t.zero_point);
    });
  };
  w.object([&] {
    w.member("name", g.name);
    w.key("input");
    tensor(g.tensors[g.input]);
    if (!g.more_inputs.empty()) {
      w.key("more_inputs");
      w.begin_list();
      for (const auto id : g.more_inputs) tensor(g.tensors[id]);
      w.end_list();
    }
    flow::write_preparation(w, g);
    w.key("outputs");
    w.begin_list();
    for (const auto id : g.outputs) tensor(g.tensors[id]);
    w.end_list();
    w.key("nodes");
    w.begin_list();
    for (const NodeRow& r : rows)
      w.object([&] {
        w.member("name", r.name);
        w.member("operator", r.op);
        w.member("shapes", r.shapes);
        w.member("weights", r.weights);
        if (!r.requantised.empty()) w.member("requantised", r.requantised);
      });
    w.end_list();
    w.member("notes", notes);
    if (calibration) w.member("calibration", *calibration);
  });
  fmt::print("{}\n", w.printed());
}

// The suffix of -o must match the request.
void require_suffix(const ImportOptions& o) {
  if (o.out.empty()) {
    if (!o.layer.as.empty())
      throw UsageError(
          code::option_needs,
          fmt::format("--as {} writes a configuration; name it with -o NET.json", o.layer.as));
    return;
  }
  const auto is_named = [&](std::string_view suffix) {
    return o.out.ends_with(suffix) && o.out.size() > suffix.size();
  };
  if (is_named(o.layer.as.empty() ? ".graph" : ".json")) return;
  if (o.layer.as.empty() && o.calibrates() && is_named(".onnx")) return;
  throw UsageError(
      code::option_value,
      o.layer.as.empty()
          ? fmt::format("\"{}\" is not the name of a graph; use NAME.graph{}", o.out,
                        o.out.ends_with(".json")
                            ? ", or --as array, engine or dataflow for a configuration"
                        : o.out.ends_with(".onnx") ? ", or --calibrate IMAGES for a quantised model"
                                                   : "")
          : fmt::format("\"{}\" is not the name of a configuration; use NAME.json with --as {}",
                        o.out, o.layer.as));
}

std::string written_text(const ImportOptions& o, const flow::NewConfiguration& made) {
  return fmt::format("the configuration: {}, {}; the graph: {}", o.out, made.what,
                     made.graph.string());
}

// Quantises the model and says what that cost, before an import may refuse it.
std::unique_ptr<Calibrated> calibrated(const ImportOptions& o) {
  if (!o.calibrates()) return nullptr;
  bool is_quantised = true;
  try {
    flow::load_network(o.model);
  } catch (const gen::onnx::Refused&) {
    is_quantised = false;
  }
  if (is_quantised)
    throw UsageError(code::quantised_already,
                     fmt::format("{} is quantised already; leave out --calibrate", o.model));
  auto made = std::make_unique<Calibrated>(o.model, o.calibration);
  for (const std::string& warning : made->report().warnings) backends::notice(warning);
  if (!o.json) fmt::print("{}\n\n", made->report().text);
  if (o.out.ends_with(".onnx")) {
    backends::write_named_file(o.out, backends::read_file(made->model()), theirs(o.force));
    fmt::print(stderr, "the quantised model: {}\n", o.out);
  }
  return made;
}

int import(const ImportOptions& options, flow::Context& context) {
  if (options.operators) return list_operators(options.json);
  if (options.model.empty())
    throw UsageError(code::missing_argument,
                     "import needs a model: MODEL.onnx; --operators lists what is imported");
  require_suffix(options);
  require_size(options.layer);
  if (!options.layer.luts && !options.layer.brams && options.layer.device.empty())
    without_use(options.max_cells->count() > 0, "--max-cells",
                "an import that builds no netlist (--luts, --bram18 and --device do)");
  if (!options.out.empty()) flow::require_free(options.out, options.force, "-o");
  const auto quantised = calibrated(options);
  const flow::Network network = flow::load_network(
      quantised ? quantised->model().string() : options.model,
      options.averages == "sums" ? gen::onnx::Averages::sums : gen::onnx::Averages::as_onnxruntime,
      quantised ? options.model + ", quantised" : "");
  const auto rows = rows_of(network.graph);
  std::string written;
  if (!options.layer.as.empty()) {
    written = written_text(options, write_configuration(options.layer, options.model, network.graph,
                                                        options.out, options.force, context));
  } else if (options.out.ends_with(".graph")) {
    backends::write_named_file(options.out, graph::to_text(network.graph), theirs(options.force));
    written = "the graph: " + options.out;
  }
  if (options.json)
    print_json(network.graph, rows, network.notes, quantised ? &quantised->report() : nullptr);
  else
    print_text(network.graph, rows, network.notes);
  if (!written.empty()) fmt::print(stderr, "{}\n", written);
  return ok;
}

Run declare_import(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<ImportOptions>();
  app.add_option("model", o->model,
                 "MODEL.onnx, quantised: QDQ, QLinear or QONNX operators; with --calibrate a float "
                 "model");
  auto* out =
      app.add_option("-o,--out", o->out,
                     "file to write: NAME.graph, which `run` reads too; with --as NAME.json; with "
                     "--calibrate also NAME.onnx, the quantised model");
  auto* calibrate = app.add_option(
      "--calibrate", o->calibration.images,
      "quantise a float model first, by onnxruntime in Python: IMAGES is a .npy file of float32, "
      "or "
      "a folder of .npy files or of pictures (pixels / 255); prints what that costs");
  calibrate->type_name("IMAGES");
  app.add_option("--labels", o->calibration.labels,
                 ".npy file of a label an image: prints the accuracy before and after")
      ->needs(calibrate);
  const Scaling scaling = add_scaling(app, o->calibration.mean, o->calibration.deviation);
  scaling.mean->needs(calibrate);
  scaling.deviation->needs(calibrate);
  app.add_option(
         "--as", o->layer.as,
         "write a configuration, to be edited by hand, and the graph beside it: array, an "
         "array of processing elements that runs its layers one after the other; engine, one "
         "machine for all layers that a stream of operations drives; or dataflow, a pipeline "
         "with a machine for every layer")
      ->check(CLI::IsMember({"array", "engine", "dataflow"}));
  number(app, "--clocks", o->layer.clocks, {1, std::int64_t{1} << 40},
         "of a pipeline: a frame in so many clocks at most, with the fewest slices");
  number(app, "--slices", o->layer.slices, {1, 1 << 20},
         "of a pipeline: so many DSP slices at most, with the fewest clocks of a frame");
  number(app, "--luts", o->layer.luts, {1, 1 << 24},
         "of a pipeline: so many LUT sites at most, those of memories counted: netlists are built "
         "and counted until one fits");
  number(app, "--bram18", o->layer.brams, {0, 1 << 20},
         "of a pipeline: so many block RAMs of 18 Kbit at most, counted in the same way");
  number(
      app, "--uram", o->layer.urams, {0, 1 << 16},
      "of a pipeline: so many UltraRAM at most, for memories that are written at run time, those "
      "that free the most block RAMs first");
  app.add_option(
      "--device", o->layer.device,
      "of a pipeline or an engine: the fastest one that fits this device (kumiki list "
      "--devices), of a pipeline with --clocks whether that one does; netlists are built "
      "and counted");
  add_batch(app, o->layer.batch);
  o->max_cells = add_max_cells(app, settings);
  app.add_option("--in-luts", o->layer.in_luts,
                 "of a pipeline: dense layers and convolutions of 1x1 that take no slice, by the "
                 "names of their nodes, or all: their products are in LUTs, a vector every clock")
      ->type_name("NODE");
  app.add_option("--in-trees", o->layer.in_trees,
                 "of a pipeline: layers whose products are added by compressor trees in place of "
                 "slices, by the names of their nodes, binarised, those with factors of -1 and 1, "
                 "or all")
      ->type_name("NODE");
  app.add_option("--weights-outside", o->layer.weights_outside,
                 "of a pipeline: layers whose weights are in a memory outside and come through an "
                 "AXI master, by the names of their nodes, or all")
      ->type_name("NODE");
  number(app, "--bytes-a-clock", o->layer.bytes_a_clock, {0.0, 1024.0},
         "of a pipeline, with --clocks and --bram18 or with --device: moves weights outside until "
         "the memories suffice, while all layers read at most so many bytes of them in a clock");
  app.add_option(
         "--averages", o->averages,
         "means of windows, transposed convolutions, softmax and layer normalisation, where "
         "float32 decides a result: onnxruntime, its order of addition, which a host "
         "computes; or sums, of integers, which pipelines have too, and a note says how "
         "many results may differ by one")
      ->check(CLI::IsMember({"onnxruntime", "sums"}));
  app.add_flag("--operators", o->operators, "the operators that are imported, with their limits");
  add_replace(app, o->force)->needs(out);
  add_json(app, o->json);
  return runs(import, o);
}

}  // namespace

Command import_command() {
  return {"import", "read a trained, quantised ONNX model and prove its requantisation",
          declare_import};
}

}  // namespace kumiki::cli
