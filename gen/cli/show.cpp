// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

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

}  // namespace

int show(const Options& options) {
  Project project(options.config);
  if (options.module.empty()) {
    show_below(project.top(), "", 1, 0);
    return ok;
  }
  const ir::Module* m = project.design().find_module(options.module);
  if (!m) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < project.design().module_count(); ++i)
      names.emplace_back(project.design().module({i}).name());
    fmt::print(stderr, "kumiki: there is no module \"{}\": {} is legal\n", options.module,
               gen::config::alternatives(names));
    return usage;
  }
  fmt::print("{}", ir::print(*m, {.places = true}));
  return ok;
}

}  // namespace kumiki::cli
