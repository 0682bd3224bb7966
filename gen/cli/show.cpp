// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "backends/emit/diagram/diagram.h"
#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/cli/plan_network.h"
#include "gen/flow/files/beats.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/output.h"
#include "gen/flow/trained/network_source.h"
#include "ir/error.h"
#include "ir/text.h"

namespace kumiki::cli {
namespace {

struct ShowOptions {
  Source source;
  std::string module;   // only this one
  bool blocks = false;  // as a block diagram
  std::string layer;    // pictures of this layer
  std::string drawing;  // file for the picture
  std::string picture;  // which of the layer's
  bool force = false;
};

// "7 DSP48E2, 24 FDRE": counts every element of vector cells.
std::string contents(const ir::Module& m) {
  std::map<std::string_view, std::uint64_t> count;
  for (const ir::Cell& c : m.cells())
    if (c.kind != ir::Kind::instance) count[ir::prototype(c.kind).name] += c.width;
  std::string text;
  for (auto [name, n] : count) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
  return text.empty() ? "wires only" : text;
}

void show_below(const ir::Module& m, std::string_view instance, std::uint64_t places,
                unsigned depth) {
  fmt::print("{:{}}{}{}{}: {}\n", "", 2 * depth, instance, instance.empty() ? "" : " : ", m.name(),
             places > 1 ? fmt::format("{} places, each {}", places, contents(m)) : contents(m));
  // Equal children share one line.
  std::vector<std::pair<std::uint32_t, std::pair<std::string_view, std::uint64_t>>> children;
  for (std::uint32_t i = 0; i < m.cells().size(); ++i) {
    const ir::Cell& c = m.cells()[i];
    if (c.kind != ir::Kind::instance) continue;
    auto at = std::ranges::find(children, c.params, [](auto& x) { return x.first; });
    if (at == children.end())
      children.push_back({c.params, {m.design().text(m.cell_name({i})), 1}});
    else
      ++at->second.second;
  }
  for (auto& [id, first] : children)
    show_below(m.design().module({id}), first.first, first.second, depth + 1);
}

[[noreturn]] void unknown(std::string_view what, const std::string& name,
                          const std::vector<std::string>& legal) {
  throw UsageError(code::unknown_name, fmt::format("unknown {} \"{}\"; use {}", what, name,
                                                   gen::config::alternatives(legal)));
}

// Writes one file that the user named.
void write(const ShowOptions& options, std::string_view what, std::string_view text) {
  const std::string& path = options.drawing;
  backends::write_named_file(path, text, theirs(options.force));
  fmt::print(stderr, "{}: {}\n", path, what);
}

// Shows the module as blocks and wires: as text, or in a file whose suffix selects the format.
int show_blocks(const ir::Module& m, const ShowOptions& options) {
  const std::string& path = options.drawing;
  const auto diagram = backends::diagram(m);
  if (path.empty())
    fmt::print("{}", backends::to_text(diagram));
  else
    write(options, fmt::format("blocks of {}", m.name()),
          path.ends_with(".dot") ? backends::to_dot(diagram) : backends::to_svg(diagram));
  return ok;
}

// Shows a layer's bits: its plan with the picture in characters, or a picture as a file.
int show_layer(const ShowOptions& options, flow::Context& context) {
  const Plans plans(options.source.config, reading_of(options.source, context));
  std::vector<std::string> names;
  for (const gen::NamedLayer& l : plans.layers) {
    names.push_back(l.name);
    if (l.name != options.layer) continue;
    if (options.drawing.empty()) {
      fmt::print("{}", flow::plan_text(*l.layer));
      return ok;
    }
    const auto drawn = flow::pictures(*l.layer);
    std::vector<std::string> legal;
    for (const gen::Picture& p : drawn) {
      legal.push_back(p.name);
      if (!options.picture.empty() && p.name != options.picture) continue;
      write(options, fmt::format("{} of {}", p.name, l.name), p.svg);
      return ok;
    }
    if (!legal.empty()) unknown("picture", options.picture, legal);
    throw DesignError(
        code::unknown_name,
        fmt::format("layer {} has no picture: show --module draws its blocks", l.name));
  }
  unknown("layer", options.layer, names);
}

int show(const ShowOptions& options, flow::Context& context) {
  if (!options.drawing.empty() && !options.drawing.ends_with(".svg") &&
      (!options.drawing.ends_with(".dot") || !options.layer.empty() ||
       flow::is_network(options.source.config)))
    throw UsageError(code::option_value,
                     fmt::format("\"{}\" does not name a picture; use NAME.svg{}", options.drawing,
                                 options.layer.empty() && !flow::is_network(options.source.config)
                                     ? " or NAME.dot"
                                     : ""));
  if (!options.drawing.empty()) flow::require_free(options.drawing, options.force, "-o");
  if (flow::is_network(options.source.config)) {
    without_use(!options.module.empty(), "--module", "a trained network");
    without_use(options.blocks, "--blocks", "a trained network");
    without_use(!options.layer.empty(), "--layer", "a trained network");
    without_use(options.source.axi_stream, "--axi-stream", "a trained network");
    return show_network(options.source.config, options.drawing, options.force);
  }
  if (!options.layer.empty()) return show_layer(options, context);
  const Project project(options.source.config, reading_of(options.source, context));
  const bool blocks = options.blocks || !options.drawing.empty();
  const ir::Module* m =
      options.module.empty() ? &project.top() : project.design().find_module(options.module);
  if (!m) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < project.design().module_count(); ++i)
      names.emplace_back(project.design().module({i}).name());
    unknown("module", options.module, names);
  }
  if (blocks) return show_blocks(*m, options);
  if (options.module.empty())
    show_below(*m, "", 1, 0);
  else
    fmt::print("{}", ir::print(*m, {.places = true}));
  return ok;
}

Run declare_show(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<ShowOptions>();
  auto* module = app.add_option("--module", o->module, "this module, as text");
  auto* blocks = app.add_flag("--blocks", o->blocks, "the module (or the top) as blocks and wires");
  auto* layer =
      app.add_option("--layer", o->layer, "this layer's plan with its picture, bit by bit")
          ->excludes(module)
          ->excludes(blocks);
  auto* out = app.add_option(
      "-o,--out", o->drawing,
      "file for the picture: blocks as .svg (by Graphviz) or .dot, a layer's or a network's as "
      ".svg");
  app.add_option("--picture", o->picture, "which of the layer's pictures (default: the first)")
      ->needs(layer)
      ->needs(out);
  add_replace(app, o->force)->needs(out);
  add_axi_stream(app, o->source);
  add_source(app, o->source, settings, true);
  return runs(show, o);
}

}  // namespace

Command show_command() {
  return {"show",
          "show the netlist: hierarchy, a module as text or as blocks, a layer bit by bit; or a "
          "trained network as a picture",
          declare_show};
}

}  // namespace kumiki::cli
