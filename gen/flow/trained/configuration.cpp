// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/configuration.h"

#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/support/files.h"
#include "gen/config/kind.h"
#include "gen/config/writer.h"
#include "gen/device/fit.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/output.h"
#include "gen/flow/trained/engine_program.h"
#include "gen/flow/trained/subject.h"
#include "gen/flow/usage.h"
#include "gen/graph/text.h"
#include "ir/names.h"

namespace kumiki::flow {
namespace {

namespace graph = gen::graph;

std::string quoted(const std::string& text) {
  gen::config::Writer w;
  w.text(text);
  return w.printed();
}

// A layer for a network: its keys without the graph, and its description.
struct LayerText {
  std::string keys, what;
  std::string target = {};  // an object; empty: the default
};

LayerText text_of_array(const graph::Graph& g, const std::string& graph_file) {
  const gen::array::Request array = suggest_array(g, graph_file).request;
  return {fmt::format("\"type\": \"pe_array\", \"name\": \"array\", \"rows\": {}, \"columns\": {}, "
                      "\"accumulators\": {}, \"bits\": {}, \"clock_mhz\": {},\n"
                      "     \"requantise\": \"float32\"",
                      array.rows, array.columns, array.accumulators, array.bits, array.clock_mhz),
          fmt::format("an array of {} x {} elements", array.rows, array.columns)};
}

std::string batch_text(const LayerFor& o) {
  return o.batch ? fmt::format(", \"batch\": {}", *o.batch) : "";
}

std::string normaliser_text(const gen::engine::Request& r) {
  return r.normaliser == gen::engine::Normaliser::none ? "" : R"(, "normaliser": "lanes")";
}

LayerText text_of_engine(const graph::Graph& g, const std::string& graph_file, const LayerFor& o) {
  const gen::engine::Request engine = suggest_engine(g, graph_file, o.batch);
  return {fmt::format("\"type\": \"engine\", \"name\": \"engine\", \"rows\": {}, \"columns\": {}, "
                      "\"places\": {}, \"ring\": {}, \"clocking\": \"double\"{}{}",
                      engine.rows, engine.columns, engine.places, engine.ring,
                      normaliser_text(engine), batch_text(o)),
          fmt::format("an engine of {} rows x {} columns with {} places", engine.rows,
                      engine.columns, engine.places)};
}

std::string uses_text(const gen::device::Fit& fit) {
  std::vector<std::string> uses;
  for (const auto& use : fit.uses)
    if (use.known)
      uses.push_back(fmt::format("{} of {} {}", use.used, use.available, use.resource));
  return fmt::format("{}", fmt::join(uses, ", "));
}

std::string target_text(const gen::device::Device& device) {
  std::string text = fmt::format("{{\"family\": \"{}\"", ir::family_name(device.family));
  if (device.column_height > 0)
    text += fmt::format(", \"column_height\": {}", device.column_height);
  return text + '}';
}

LayerText text_of_fitted_engine(const graph::Graph& g, const std::string& model, const LayerFor& o,
                                const ir::Context& context) {
  const gen::device::Device& device = gen::device::device(o.device);
  const FittedEngine fitted = fit_engine(g, model, device, o.batch.value_or(1), context);
  const gen::engine::Request& r = fitted.request;
  return {
      fmt::format("\"type\": \"engine\", \"name\": \"engine\", \"rows\": {}, \"columns\": {}, "
                  "\"places\": {}, \"ring\": {}, \"bus\": {}, \"clocking\": \"double\",\n"
                  "     \"maps\": \"{}\", \"ports\": \"memory\"{}{}",
                  r.rows, r.columns, r.places, r.ring, r.bus.value_or(r.columns),
                  r.maps == gen::engine::MapMemory::ultra ? "ultra" : "block", normaliser_text(r),
                  batch_text(o)),
      fmt::format("an engine of {} rows x {} columns with {} places, an image in {} clocks if "
                  "memory never waits; fits {} with a fifth to spare: {}",
                  r.rows, r.columns, r.places, fitted.clocks, device.name, uses_text(fitted.fit)),
      target_text(device)};
}

gen::pipeline::Request request_of(const LayerFor& o, const ir::Context& context) {
  return {.clocks = o.clocks,
          .slices = o.slices,
          .luts = o.luts,
          .brams = o.brams,
          .in_luts = gen::pipeline::node_names_of(o.in_luts),
          .in_trees = gen::pipeline::node_names_of(o.in_trees),
          .weights_outside = gen::pipeline::node_names_of(o.weights_outside),
          .bytes_a_clock = o.bytes_a_clock,
          .urams = o.urams.value_or(0),
          .context = context};
}

// The keys of a pipeline that has been found, and its description.
LayerText text_of_pipeline(const gen::pipeline::PipelinePlan& plan, const LayerFor& o) {
  std::string keys = R"("type": "dataflow", "name": "pipeline")";
  for (const auto& [key, value] : {std::pair{"clocks", o.clocks},
                                   {"slices", o.slices},
                                   {"luts", o.luts},
                                   {"bram18", o.brams},
                                   {"uram", o.urams}})
    if (value) keys += fmt::format(", \"{}\": {}", key, *value);
  if (o.bytes_a_clock) keys += fmt::format(", \"bytes_a_clock\": {}", *o.bytes_a_clock);
  for (const auto& [key, nodes] : {std::pair{"in_luts", o.in_luts},
                                   {"in_trees", o.in_trees},
                                   {"weights_outside", o.weights_outside}}) {
    if (nodes.empty()) continue;
    std::vector<std::string> names;
    for (const std::string& name : nodes) names.push_back(quoted(name));
    keys += fmt::format(", \"{}\": {}", key,
                        names.size() == 1 ? names[0] : fmt::format("[{}]", fmt::join(names, ", ")));
  }
  std::string what = fmt::format("a pipeline of {} slices, a frame every {} clocks", plan.slices(),
                                 plan.interval());
  if (!plan.weights.empty())
    what +=
        fmt::format(", {} layers with weights outside, {:.2f} bytes a clock", plan.weights.size(),
                    static_cast<double>(weight_bytes(plan)) / static_cast<double>(plan.interval()));
  return {keys, what};
}

// The pace that was found and the layers whose weights went outside, as a user would give them.
LayerText text_of_fitted(const graph::Graph& g, const std::string& model, LayerFor o,
                         const ir::Context& context) {
  const gen::device::Device& device = gen::device::device(o.device);
  const FittedPipeline fitted = fit_pipeline(g, model, request_of(o, context), device);
  o.clocks = fitted.clocks;
  if (device.urams > 0) o.urams = device.urams;
  o.bytes_a_clock.reset();
  o.weights_outside.clear();
  for (const auto& w : fitted.plan.weights) o.weights_outside.push_back(w.node);
  LayerText text = text_of_pipeline(fitted.plan, o);
  text.what +=
      fmt::format("; fits {}: {}", device.name, uses_text(gen::device::fit(device, fitted.cost)));
  text.target = target_text(device);
  return text;
}

// A configuration as a user would type it. File names in it have no folder: the files are next to
// it.
std::string text_of(const std::filesystem::path& file, const std::string& graph_file,
                    const LayerText& layer) {
  std::string name = file.stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  const auto is_legal = [](const std::string& n) {
    return gen::config::identifier().accepts(n) && ir::name_of_top(n) == n;
  };
  if (!is_legal(name)) name = "net_" + name;
  if (!is_legal(name)) name = "net";
  return fmt::format(
      "{{\n  \"kumiki\": 1,\n  \"name\": \"{}\",\n{}  \"layers\": [\n"
      "    {{{}, \"graph\": {}}}\n  ]\n}}\n",
      name, layer.target.empty() ? "" : fmt::format("  \"target\": {},\n", layer.target),
      layer.keys, quoted(graph_file));
}

}  // namespace

NewConfiguration write_configuration(const LayerFor& o, const std::string& model,
                                     const graph::Graph& g, const std::filesystem::path& file,
                                     bool force, const ir::Context& context) {
  const std::string graph_file = file.stem().string() + ".graph";
  const auto beside = file.parent_path() / graph_file;
  require_free(beside, force, "-o");
  const LayerText layer =
      o.as == "array"    ? text_of_array(g, graph_file)
      : o.as == "engine" ? (o.device.empty() ? text_of_engine(g, graph_file, o)
                                             : text_of_fitted_engine(g, model, o, context))
      : o.device.empty() ? text_of_pipeline(fold_pipeline(g, model, request_of(o, context)), o)
                         : text_of_fitted(g, model, o, context);
  backends::OutputSet files;
  files.add(graph_file, graph::to_text(g));
  files.add(file.filename().string(), text_of(file, graph_file, layer));
  files.commit(file.has_parent_path() ? file.parent_path() : ".",
               force ? backends::FilesOfUser::replace : backends::FilesOfUser::keep);
  return {layer.what, beside};
}

namespace {

// UsageError: an unknown name.
void require_device(const std::string& name) {
  try {
    (void)gen::device::device(name);
  } catch (const DesignError& e) {
    throw UsageError(e.diagnostic());
  }
}

}  // namespace

void require_size(const LayerFor& o) {
  if (o.batch && o.as != "engine")
    throw UsageError(
        code::option_needs,
        "--batch says how many images a run of an engine has; use it with --as engine");
  const char* budget = o.slices ? "--slices" : o.luts ? "--luts" : o.brams ? "--bram18" : nullptr;
  if (o.as != "dataflow") {
    for (const auto& [option, is_given, what] :
         {std::tuple{"--in-luts", !o.in_luts.empty(), "which layers of a pipeline take no slice"},
          {"--in-trees", !o.in_trees.empty(), "which layers of a pipeline take no slice"},
          {"--weights-outside", !o.weights_outside.empty(),
           "which layers of a pipeline have their weights outside"},
          {"--bytes-a-clock", o.bytes_a_clock.has_value(), "how fast a pipeline reads weights"},
          {"--uram", o.urams.has_value(), "how many UltraRAM a pipeline may use"},
          {"--device", !o.device.empty() && o.as != "engine", "which device a pipeline fits"}})
      if (is_given)
        throw UsageError(code::option_needs,
                         fmt::format("{} says {}; use it with --as dataflow", option, what));
    if (o.clocks || budget)
      throw UsageError(code::option_needs,
                       "--clocks, --slices, --luts and --bram18 say how large a pipeline is; use "
                       "them with --as dataflow");
    if (!o.device.empty()) require_device(o.device);
    return;
  }
  if (!o.device.empty()) {
    if (o.urams && !budget) budget = "--uram";
    if (!budget) return require_device(o.device);
    throw UsageError(
        code::option_needs,
        fmt::format("--device says how much of everything there is; leave out {}", budget));
  }
  if (o.bytes_a_clock) {
    if (o.clocks && o.brams) return;
    throw UsageError(code::option_needs,
                     "--bytes-a-clock moves weights outside until the memories suffice; it needs "
                     "--clocks N and --bram18 N");
  }
  if (o.clocks.has_value() != (budget != nullptr)) return;
  throw UsageError(
      code::option_needs,
      o.clocks ? fmt::format("--clocks and {} are both given; give one of the two", budget)
               : "--as dataflow needs --clocks N, a frame in so many clocks at most, or a budget: "
                 "--slices N, so many DSP slices at most, --luts N, --bram18 N, or --device D");
}

}  // namespace kumiki::flow
