// SPDX-License-Identifier: Apache-2.0
// `import`: a trained and quantised ONNX model as a graph of integers, and what was understood; or
// as a configuration whose layers run on an array, with the graph beside it.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/network_source.h"
#include "gen/cli/options.h"
#include "gen/cli/output.h"
#include "gen/cli/run/subject.h"
#include "gen/config/kind.h"
#include "gen/config/writer.h"
#include "gen/graph/plan.h"
#include "gen/graph/text.h"
#include "gen/onnx/import.h"
#include "ir/activity.h"

namespace kumiki::cli {
namespace {

namespace graph = gen::graph;

struct ImportOptions {
  std::string model, out, as;
  std::optional<std::int64_t> clocks, slices, luts, brams;  // of a pipeline
  std::vector<std::string> in_luts;                         // nodes of it, or "all"
  bool operators = false;                                   // the table of what is supported
  bool force = false;
  bool json = false;
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

// A node as it is printed.
struct NodeRow {
  std::string name, op, shapes, requantised;
  std::size_t weights = 0;
};

std::vector<NodeRow> rows_of(const graph::Graph& g) {
  const ir::Activity activity("proving the requantisation of every channel");
  std::vector<NodeRow> rows;
  for (const graph::Node& n : g.nodes) {
    NodeRow row{.name = n.name, .op = graph::description(n.op)};
    row.shapes = fmt::format("{} -> {}", graph::to_string(g.tensors[n.inputs[0]].shape),
                             graph::to_string(g.tensors[n.output].shape));
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
  fmt::print("{}\n", ends_text(g));
  for (const NodeRow& r : rows) {
    fmt::print("{:{}}  {:{}}  {:{}}{}\n", r.name, name, r.op, op, r.shapes,
               r.weights > 0 ? shapes : 0,
               r.weights > 0 ? fmt::format("  {} weights", r.weights) : "");
    if (!r.requantised.empty()) fmt::print("  {}\n", r.requantised);
  }
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
}

void print_json(const graph::Graph& g, const std::vector<NodeRow>& rows,
                const std::vector<std::string>& notes) {
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
    write_preparation(w, g);
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
  });
  fmt::print("{}\n", w.printed());
}

std::string quoted(const std::string& text) {
  gen::config::Writer w;
  w.text(text);
  return w.printed();
}

// A layer for a network: its keys but the graph, and what it is.
struct LayerText {
  std::string keys, what;
};

LayerText text_of_array(const graph::Graph& g, const std::string& graph_file) {
  const gen::array::Request array = suggest_array(g, graph_file).request;
  return {fmt::format("\"type\": \"pe_array\", \"name\": \"array\", \"rows\": {}, \"columns\": {}, "
                      "\"accumulators\": {}, \"bits\": {}, \"clock_mhz\": {},\n"
                      "     \"requantise\": \"float32\"",
                      array.rows, array.columns, array.accumulators, array.bits, array.clock_mhz),
          fmt::format("an array of {} x {} elements", array.rows, array.columns)};
}

LayerText text_of_pipeline(const graph::Graph& g, const ImportOptions& o,
                           const ir::Context& context) {
  gen::pipeline::Request request{
      .clocks = o.clocks, .slices = o.slices, .luts = o.luts, .brams = o.brams, .context = context};
  if (o.in_luts.size() == 1)
    request.in_luts = o.in_luts[0];
  else if (!o.in_luts.empty())
    request.in_luts = o.in_luts;
  const auto plan = fold_pipeline(g, o.model, request);
  std::string keys = R"("type": "dataflow", "name": "pipeline")";
  for (const auto& [key, value] :
       {std::pair{"clocks", o.clocks}, {"slices", o.slices}, {"luts", o.luts}, {"bram18", o.brams}})
    if (value) keys += fmt::format(", \"{}\": {}", key, *value);
  if (!o.in_luts.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : o.in_luts) names.push_back(quoted(name));
    keys += fmt::format(", \"in_luts\": {}",
                        names.size() == 1 ? names[0] : fmt::format("[{}]", fmt::join(names, ", ")));
  }
  return {keys, fmt::format("a pipeline of {} slices, a frame every {} clocks", plan.slices(),
                            plan.interval())};
}

// A configuration as a user would type it. Names of files in it are without a folder: they stand
// beside it.
std::string text_of(const std::filesystem::path& file, const std::string& graph_file,
                    const LayerText& layer) {
  std::string name = file.stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (!gen::config::identifier().accepts(name)) name = "net_" + name;
  if (!gen::config::identifier().accepts(name)) name = "net";
  return fmt::format(
      "{{\n  \"kumiki\": 1,\n  \"name\": \"{}\",\n  \"layers\": [\n"
      "    {{{}, \"graph\": {}}}\n  ]\n}}\n",
      name, layer.keys, quoted(graph_file));
}

// The graph and a configuration with a layer for it: both, or nothing.
std::string write_configuration(const ImportOptions& o, const graph::Graph& g,
                                const ir::Context& context) {
  const std::filesystem::path file = o.out;
  const std::string graph_file = file.stem().string() + ".graph";
  const auto beside = file.parent_path() / graph_file;
  require_free(beside, o.force, "-o");
  const LayerText layer =
      o.as == "array" ? text_of_array(g, graph_file) : text_of_pipeline(g, o, context);
  backends::OutputSet files;
  files.add(graph_file, graph::to_text(g));
  files.add(file.filename().string(), text_of(file, graph_file, layer));
  files.commit(file.has_parent_path() ? file.parent_path() : ".", theirs(o.force));
  return fmt::format("the configuration: {}, {}; the graph: {}", o.out, layer.what,
                     beside.string());
}

// A pipeline is as large as somebody says.
void require_size(const ImportOptions& o) {
  const char* budget = o.slices ? "--slices" : o.luts ? "--luts" : o.brams ? "--bram18" : nullptr;
  if (o.as != "dataflow") {
    if (!o.in_luts.empty())
      throw UsageError(Code::option_needs,
                       "--in-luts says which layers of a pipeline take no slice: --as dataflow is "
                       "legal with it");
    if (o.clocks || budget)
      throw UsageError(Code::option_needs,
                       "--clocks, --slices, --luts and --bram18 say how large a pipeline is: --as "
                       "dataflow is legal with them");
    return;
  }
  if (o.clocks.has_value() != (budget != nullptr)) return;
  throw UsageError(
      Code::option_needs,
      o.clocks ? fmt::format("--clocks and {} are both given: one of the two is legal", budget)
               : "--as dataflow needs --clocks N, a frame in so many clocks at most, or a budget: "
                 "--slices N, so many DSP48E2 at most, --luts N, --bram18 N");
}

// The file of -o ends as what is asked for.
void require_suffix(const ImportOptions& o) {
  if (o.out.empty()) {
    if (!o.as.empty())
      throw UsageError(Code::option_needs,
                       fmt::format("--as {} writes a configuration: -o NET.json says where", o.as));
    return;
  }
  const std::string suffix = o.as.empty() ? ".graph" : ".json";
  if (o.out.ends_with(suffix) && o.out.size() > suffix.size()) return;
  throw UsageError(
      Code::option_value,
      o.as.empty()
          ? fmt::format(
                "\"{}\" is no file of a graph: NAME.graph is legal{}", o.out,
                o.out.ends_with(".json") ? ", or --as array or dataflow for a configuration" : "")
          : fmt::format("\"{}\" is no configuration: NAME.json is legal with --as {}", o.out,
                        o.as));
}

int import(const ImportOptions& options, flow::Context& context) {
  if (options.operators) return list_operators(options.json);
  if (options.model.empty())
    throw UsageError(Code::missing_argument,
                     "import needs a model: MODEL.onnx; --operators lists what is imported");
  require_suffix(options);
  require_size(options);
  if (!options.out.empty()) require_free(options.out, options.force, "-o");
  const Network network = load_network(options.model);
  const auto rows = rows_of(network.graph);
  std::string written = "the graph: " + options.out;
  if (!options.as.empty())
    written = write_configuration(options, network.graph, context);
  else if (!options.out.empty())
    backends::write_named_file(options.out, graph::to_text(network.graph));
  if (options.json)
    print_json(network.graph, rows, network.notes);
  else
    print_text(network.graph, rows, network.notes);
  if (!options.out.empty()) fmt::print(stderr, "{}\n", written);
  return ok;
}

Run declare_import(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<ImportOptions>();
  app.add_option("model", o->model, "MODEL.onnx, quantised: QDQ, QLinear or QONNX operators");
  app.add_option("-o,--out", o->out,
                 "file to write: NAME.graph, which `run` reads too; with --as NAME.json");
  app.add_option("--as", o->as,
                 "write a configuration, to be edited by hand, and the graph beside it: array, an "
                 "array of processing elements that runs its layers one after the other; or "
                 "dataflow, a pipeline with a machine for every layer")
      ->check(CLI::IsMember({"array", "dataflow"}));
  number(app, "--clocks", o->clocks, {1, std::int64_t{1} << 40},
         "of a pipeline: a frame in so many clocks at most, with the fewest slices");
  number(app, "--slices", o->slices, {1, 1 << 20},
         "of a pipeline: so many DSP48E2 at most, with the fewest clocks of a frame");
  number(app, "--luts", o->luts, {1, 1 << 24},
         "of a pipeline: so many LUT sites at most, those of memories counted: netlists are built "
         "and counted until one fits");
  number(app, "--bram18", o->brams, {0, 1 << 20},
         "of a pipeline: so many block RAMs of 18 Kbit at most, counted in the same way");
  add_max_cells(app, settings);
  app.add_option("--in-luts", o->in_luts,
                 "of a pipeline: dense layers and convolutions of 1x1 that take no slice, by the "
                 "names of their nodes, or all: their products are in LUTs, a vector every clock")
      ->type_name("NODE");
  app.add_flag("--operators", o->operators, "the operators that are imported, with their limits");
  app.add_flag("--force", o->force, "replace the file to write");
  add_json(app, o->json);
  return runs(import, o);
}

}  // namespace

Command import_command() {
  return {"import", "read a trained, quantised ONNX model and prove its requantisation",
          declare_import};
}

}  // namespace kumiki::cli
