// SPDX-License-Identifier: Apache-2.0
// Where every node of a graph runs, as text for people and for programs.
#include <fmt/format.h>

#include <algorithm>

#include "gen/config/writer.h"
#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/program.h"

namespace kumiki::gen::array {
namespace {

std::string map_text(const MapShape& s) {
  return s.height == 1 && s.width == 1 ? fmt::format("{}", s.channels)
                                       : fmt::format("{}x{}x{}", s.channels, s.height, s.width);
}

std::string layer_text(const ProgramLayer& l) {
  const LayerJob& job = l.job;
  std::string kind = "fc";
  if (job.shape.kind == Kind::conv) {
    const ConvShape& s = job.shape.conv;
    kind = fmt::format("conv {}x{}", s.kernel, s.kernel);
    if (s.stride > 1) kind += fmt::format(" stride {}", s.stride);
    if (s.dilation > 1) kind += fmt::format(" dilation {}", s.dilation);
    if (s.groups > 1) kind += fmt::format(" in {} groups", s.groups);
  }
  return fmt::format("{}, {} -> {}, {} clocks", kind, map_text(job.in_shape()),
                     map_text(job.out_shape()), l.figures.clocks);
}

std::size_t starts(const Lowering& l) {
  return static_cast<std::size_t>(std::ranges::count(l.actions, true, &Action::on_array));
}

std::size_t nodes_at(const Lowering& l, Place place) {
  return static_cast<std::size_t>(std::ranges::count(l.nodes, place, &LoweredNode::place));
}

}  // namespace

std::string lowering_text(const Program& program) {
  const Lowering& l = *program.lowering;
  std::size_t longest = 0;
  for (const graph::Node& n : l.graph->nodes) longest = std::max(longest, n.name.size());
  std::string text = fmt::format(
      "graph {}: {} nodes; {} layers of the array in {} starts, {} joined to them, {} on the "
      "host\n",
      l.graph->name, l.nodes.size(), l.network.size(), starts(l), nodes_at(l, Place::joined),
      nodes_at(l, Place::host));
  for (std::size_t i = 0; i < l.nodes.size(); ++i) {
    const LoweredNode& n = l.nodes[i];
    text += fmt::format("  {:{}}  {:6}", l.graph->nodes[i].name, longest, name(n.place));
    if (n.place == Place::array)
      text += fmt::format("  {}{}", layer_text(program.layers[n.layer]),
                          n.why.empty() ? "" : "; " + n.why);
    else if (!n.why.empty())
      text += "  " + n.why;
    text += "\n";
  }
  return text;
}

void write_lowering(config::Writer& w, const Program& program) {
  const Lowering& l = *program.lowering;
  w.object("graph", [&] {
    w.member("name", l.graph->name);
    w.key("nodes");
    w.begin_list();
    for (std::size_t i = 0; i < l.nodes.size(); ++i)
      w.object([&] {
        const LoweredNode& n = l.nodes[i];
        w.member("name", l.graph->nodes[i].name);
        w.member("operator", std::string(graph::name_of(l.graph->nodes[i].op)));
        w.member("place", name(n.place));
        if (n.place == Place::array || n.place == Place::joined)
          w.member("layer", l.network[n.layer].name);
        if (n.place == Place::array) w.member("clocks", program.layers[n.layer].figures.clocks);
        if (!n.why.empty()) w.member("why", n.why);
      });
    w.end_list();
    w.key("actions");
    w.begin_list();
    for (const Action& a : l.actions)
      w.object([&] {
        if (a.on_array) {
          w.member("first_layer", l.network[a.first].name);
          w.member("layers", a.layers);
        } else {
          w.member("node", l.graph->nodes[a.node].name);
        }
      });
    w.end_list();
  });
}

}  // namespace kumiki::gen::array
