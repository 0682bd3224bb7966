// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/output.h"
#include "gen/cli/plan_device.h"
#include "gen/cli/plan_front.h"
#include "gen/cli/plan_network.h"
#include "gen/flow/files/beats.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/plans.h"
#include "gen/flow/trained/network_source.h"

namespace kumiki::cli {
namespace {

struct PlanOptions {
  Source source;
  std::string pictures;                    // folder for them; empty: none
  std::vector<const CLI::Option*> limits;  // of netlists and configurations
  bool force = false;
  bool json = false;
  bool all = false;                            // include other possible plans
  std::string device;                          // fit the netlist into this device
  bool front = false;                          // all foldings of a pipeline
  std::optional<double> clock;                 // with a device or the front: MHz
  std::optional<int> factor_bits;              // for a trained network
  std::vector<std::string> in_luts, in_trees;  // for a network, with the front
};

void print_indented(const std::string& text) {
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    fmt::print("  {}\n", text.substr(at, end - at));
  }
}

int plan(const PlanOptions& options, flow::Context& context) {
  if (options.clock && options.device.empty() && !options.front)
    throw UsageError(code::option_needs, "--clock needs --device or --front");
  if (options.front) {
    without_use(options.factor_bits.has_value(), "--factor-bits", "--front");
    FrontOptions front{.source = options.source,
                       .pictures = options.pictures,
                       .force = options.force,
                       .json = options.json,
                       .in_luts = options.in_luts,
                       .in_trees = options.in_trees};
    front.clock = options.clock.value_or(front.clock);
    return plan_front(front, context);
  }
  if (!options.in_luts.empty()) throw UsageError(code::option_needs, "--in-luts needs --front");
  if (!options.in_trees.empty()) throw UsageError(code::option_needs, "--in-trees needs --front");
  if (flow::is_network(options.source.config)) {
    without_use(options.source.axi_stream, "--axi-stream", "a trained network");
    without_use(!options.device.empty(), "--device", "a trained network");
    for (const CLI::Option* limit : options.limits)
      without_use(limit->count() > 0, limit->get_name(), "a trained network without --front");
    return plan_network({.file = options.source.config,
                         .pictures = options.pictures,
                         .factor_bits = options.factor_bits,
                         .force = options.force,
                         .channels = options.all,
                         .json = options.json},
                        context.cache());
  }
  without_use(options.factor_bits.has_value(), "--factor-bits", "a configuration");
  if (!options.device.empty())
    return plan_on_device({.source = options.source,
                           .device = options.device,
                           .clock = options.clock,
                           .pictures = options.pictures,
                           .force = options.force,
                           .json = options.json},
                          context);
  const Plans plans(options.source.config, reading_of(options.source, context));
  if (!options.pictures.empty()) {
    backends::OutputSet files;
    flow::add_pictures(plans.layers, files);
    write_part(files, options.pictures, "plan", theirs(options.force));
    say_written(files, options.pictures);
  }
  if (options.json) {
    gen::config::Writer w;
    write_plans(w, plans, options.all);
    fmt::print("{}\n", backends::json_text(w.take()));
    return ok;
  }
  for (const gen::NamedLayer& l : plans.layers) {
    fmt::print("{}{} ({})\n", &l == &plans.layers.front() ? "" : "\n", l.name, l.type);
    print_indented(flow::plan_text(*l.layer));
    if (!options.all) continue;
    if (const std::string others = l.layer->alternatives_text(); !others.empty()) {
      fmt::print("  alternatives\n");
      print_indented(others);
    }
  }
  return ok;
}

Run declare_plan(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<PlanOptions>();
  auto* all =
      app.add_flag("--all", o->all,
                   "also every other proved plan, best first, and every refusal with what breaks; "
                   "of a network every channel");
  auto* device = app.add_option("--device", o->device,
                                "build the netlist for this device (`list --devices`), count it "
                                "and say whether it fits: exit code 1 when it does not")
                     ->excludes(all);
  app.add_flag("--front", o->front,
               "of a trained network, or of every dataflow of a configuration: pipelines from the "
               "fastest to the smallest, their netlists counted; with -o drawn")
      ->excludes(all)
      ->excludes(device);
  app.add_option("--in-luts", o->in_luts,
                 "with --front, of a trained network: layers that take no slice, by the names of "
                 "their nodes, or all, as `import --in-luts` has it")
      ->type_name("NODE");
  app.add_option("--in-trees", o->in_trees,
                 "with --front, of a trained network: layers that are added by compressor trees, "
                 "as `import --in-trees` has it")
      ->type_name("NODE");
  number(
      app, "--clock", o->clock, any_clock,
      "with --device: MHz to project GOPS at (default: the slice's fastest, an assumption); with "
      "--front: MHz of the frames a second (default: 100)");
  auto* out = app.add_option("-o,--out", o->pictures,
                             "folder for a picture of every layer, or of the network (SVG)");
  number(app, "--factor-bits", o->factor_bits, factor_bits_of_channels,
         "of a network: requantise by multiply and shift alone, factors no longer than this; where "
         "that is not onnxruntime's result the sums are listed: exit code 1");
  add_force(app, o->force)->needs(out);
  add_json(app, o->json);
  add_axi_stream(app, o->source);
  add_source(app, o->source, settings, true);
  for (const char* limit : {"--max-cells", "--max-heap-bits", "--max-weights", "--max-layers"})
    o->limits.push_back(app.get_option(limit));
  return runs(plan, o);
}

}  // namespace

Command plan_command() {
  return {"plan",
          "show the arithmetic of every layer, or of a trained network, without building a net",
          declare_plan};
}

}  // namespace kumiki::cli
