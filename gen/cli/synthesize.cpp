// SPDX-License-Identifier: Apache-2.0
// `synth`: Yosys reads the netlist and counts it; its count is printed next to ours. Layers without
// DSP slices also get Yosys' version of their definition.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

#include "backends/emit/report/report.h"
#include "backends/emit/yosys/yosys.h"
#include "backends/support/tool.h"
#include "gen/cli/commands.h"
#include "gen/cli/naive.h"
#include "gen/cli/output.h"
#include "gen/flow/files/fabric.h"

namespace kumiki::cli {
namespace {

Json why(const std::string& reason) { return {{"why", reason}}; }

Json synthesized(const gen::proof::Reference& reference, ir::Family family, unsigned seconds) {
  try {
    const NetlistFigures form = naive({reference.verilog, "gold", seconds}, family).smaller;
    return {{"luts", form.luts}, {"carries", form.carries}};
  } catch (const backends::TimeIsUp&) {
    return why(fmt::format("Yosys takes longer than {} seconds (--time)", seconds));
  }
}

using Known = std::map<std::string, Json>;  // by definition: equal layers are synthesised once

Json naive_form(const Project& project, std::size_t i, unsigned seconds, Known& known) {
  const gen::config::Target& target = project.document.target;
  if (!fabric_of(project, i)) return why("it has DSP slices, so LUT sites cannot be compared");
  const auto [reference, why_not] = project.layers[i].layer->definition();
  if (!reference) return why(why_not);
  if (!reference->parts.empty())
    return why(
        "a pipeline's definition is written for proofs, with handshakes in parts of their own: "
        "it is not meant for synthesis");
  Json& one = known[reference->verilog];
  if (one.is_null()) one = synthesized(*reference, target.family, seconds);
  return one;
}

// {luts, carries} of every layer's naive form, or {why} there is none: Yosys synthesises the
// Verilog definition that `prove` uses, in `seconds` for each.
std::vector<Json> naive_forms(const Project& project, unsigned seconds) {
  Known known;
  std::vector<Json> all;
  for (std::size_t i = 0; i < project.layers.size(); ++i)
    all.push_back(naive_form(project, i, seconds, known));
  return all;
}

struct SynthesizeOptions {
  Source source;
  Output output;
  bool naive = true;      // also run Yosys on the definitions
  unsigned seconds = 60;  // for each of them
};

int synthesize(const SynthesizeOptions& options, flow::Context& context) {
  const Project project(options.source.config, reading_of(options.source, context));
  project.require_legal();
  backends::OutputSet files(context.cache());
  Json report = add_netlist(project, files, options.output.extras);
  const ir::Names names(project.design());
  files.add(fmt::format("{}.json", names.module(project.design().top_id())),
            backends::yosys_json(names));
  const auto theirs = backends::count_with_yosys(names);
  const auto ours = ir::count_resources(project.design());
  const bool agrees = theirs.cells == ours.cells;
  report["yosys"] = {{"version", theirs.version}, {"cells", theirs.cells}, {"agrees", agrees}};
  if (options.naive) {
    const auto forms = naive_forms(project, options.seconds);
    for (std::size_t i = 0; i < forms.size(); ++i) report["layers"][i]["naive"] = forms[i];
  }
  if (!options.output.json) {
    std::vector<std::vector<std::string>> rows{{"cells", "Kumiki", "Yosys"}};
    auto all = ours.cells;
    all.insert(theirs.cells.begin(), theirs.cells.end());
    auto in = [](const auto& cells, const std::string& name) {
      auto at = cells.find(name);
      return std::to_string(at == cells.end() ? 0 : at->second);
    };
    for (const auto& [name, n] : all)
      rows.push_back({name, in(ours.cells, name), in(theirs.cells, name)});
    fmt::print("{}", backends::table(rows));
  }
  finish(project, files, report, "synth", options.source, options.output);
  if (!agrees) fmt::print(stderr, "kumiki: the counts differ\n");
  return agrees ? ok : design_failed;
}

Run declare_synthesize(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<SynthesizeOptions>();
  add_output(app, o->output);
  app.add_flag("!--no-naive", o->naive,
               "do not ask Yosys what it makes of the definitions of layers without DSP slices");
  number(app, "--time", o->seconds, {1, 1'000'000},
         "seconds for what Yosys makes of each definition")
      ->capture_default_str();
  add_axi_stream(app, o->source);
  add_source(app, o->source, settings);
  return runs(synthesize, o);
}

}  // namespace

Command synthesize_command() {
  return {"synth", "gen, then count cells with Yosys beside our own count", declare_synthesize};
}

}  // namespace kumiki::cli
