// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "backends/emit/diagram/diagram.h"
#include "backends/support/files.h"
#include "gen/cli/beats.h"
#include "gen/cli/cli.h"
#include "gen/cli/project.h"
#include "ir/error.h"
#include "ir/text.h"

namespace kumiki::cli {
namespace {

// "7 DSP48E2, 24 FDRE": elements of vector cells counted each.
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
  // Equal children stand in one line.
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

int unknown(std::string_view what, const std::string& name, const std::vector<std::string>& legal) {
  fmt::print(stderr, "kumiki: there is no {} \"{}\": {} is legal\n", what, name,
             gen::config::alternatives(legal));
  return usage;
}

// One file, named by the user.
void write(const std::string& path, std::string_view what, std::string_view text) {
  backends::write_named_file(path, text);
  fmt::print(stderr, "{}: {}\n", path, what);
}

// The module as blocks and wires: text, or a file whose name says what.
int show_blocks(const ir::Module& m, const std::string& path) {
  const auto diagram = backends::diagram(m);
  if (path.empty())
    fmt::print("{}", backends::to_text(diagram));
  else
    write(path, fmt::format("blocks of {}", m.name()),
          path.ends_with(".dot") ? backends::to_dot(diagram) : backends::to_svg(diagram));
  return ok;
}

// What a layer's bits look like: its plan with the picture in characters, or a picture as a file.
int show_layer(const Options& options) {
  const Plans plans(options.config, reading_of(options));
  std::vector<std::string> names;
  for (const gen::NamedLayer& l : plans.layers) {
    names.push_back(l.name);
    if (l.name != options.layer) continue;
    if (options.drawing.empty()) {
      fmt::print("{}", plan_text(*l.layer));
      return ok;
    }
    const auto drawn = pictures(*l.layer);
    std::vector<std::string> legal;
    for (const gen::Picture& p : drawn) {
      legal.push_back(p.name);
      if (!options.picture.empty() && p.name != options.picture) continue;
      write(options.drawing, fmt::format("{} of {}", p.name, l.name), p.svg);
      return ok;
    }
    if (!legal.empty()) return unknown("picture", options.picture, legal);
    throw DesignError(
        fmt::format("layer {} has no picture: show --module draws its blocks", l.name));
  }
  return unknown("layer", options.layer, names);
}

}  // namespace

int show(const Options& options) {
  if (!options.drawing.empty() && !options.drawing.ends_with(".svg") &&
      (!options.drawing.ends_with(".dot") || !options.layer.empty())) {
    fmt::print(stderr, "kumiki: \"{}\" names no picture: NAME.svg{} is legal\n", options.drawing,
               options.layer.empty() ? " or NAME.dot" : "");
    return usage;
  }
  if (!options.layer.empty()) return show_layer(options);
  const Project project(options.config, reading_of(options));
  const bool blocks = options.blocks || !options.drawing.empty();
  const ir::Module* m =
      options.module.empty() ? &project.top() : project.design().find_module(options.module);
  if (!m) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < project.design().module_count(); ++i)
      names.emplace_back(project.design().module({i}).name());
    return unknown("module", options.module, names);
  }
  if (blocks) return show_blocks(*m, options.drawing);
  if (options.module.empty())
    show_below(*m, "", 1, 0);
  else
    fmt::print("{}", ir::print(*m, {.places = true}));
  return ok;
}

}  // namespace kumiki::cli
