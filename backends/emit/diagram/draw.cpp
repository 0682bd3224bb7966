// SPDX-License-Identifier: Apache-2.0
// Prints a diagram as boxes of text, and in the language of Graphviz.
#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/diagram/diagram.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"

namespace kumiki::backends {
namespace {

bool is_port(const Block& b) {
  return b.kind == Block::Kind::input || b.kind == Block::Kind::output;
}

// "x 56": the other block and the number of bits. With the signal's name: "control.acc 3".
std::string wire_text(const Diagram& d, const Wire& w, std::uint32_t other) {
  const Block& b = d.blocks[other];
  if (is_port(b) || w.name.empty()) return fmt::format("{} {}", b.name, w.bits);
  return fmt::format("{}.{} {}", b.name, w.name, w.bits);
}

// Words after a mark, in lines that fit a terminal.
std::string wrapped(const std::string& mark, const std::vector<std::string>& words) {
  constexpr std::size_t width = 96;
  if (words.empty()) return {};
  std::string text, line = mark;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = words[i] + (i + 1 < words.size() ? "," : "");
    if (line.size() + word.size() + 1 > width && line != mark) {
      text += line + "\n";
      line = std::string(mark.size(), ' ');
    }
    line += " " + word;
  }
  return text + line + "\n";
}

std::string box(const Block& b) {
  std::vector<std::string> lines{b.name};
  for (const auto& more : {b.text, b.place})
    if (!more.empty()) lines.push_back(more);
  std::size_t width = 0;
  for (const auto& l : lines) width = std::max(width, l.size());
  const std::string edge = fmt::format("  +-{:-<{}}-+\n", "", width);
  std::string text = edge;
  for (const auto& l : lines) text += fmt::format("  | {:<{}} |\n", l, width);
  return text + edge;
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Breaks a long list of cells, so that its block is high instead of wide.
std::string in_lines(std::string text) {
  constexpr std::size_t width = 28;
  std::size_t start = 0;
  for (auto at = text.find(", "); at != std::string::npos; at = text.find(", ", at + 1))
    if (at - start > width) {
      text[at + 1] = '\n';
      start = at + 2;
    }
  return text;
}

std::string_view style(Block::Kind kind) {
  switch (kind) {
    case Block::Kind::input:
    case Block::Kind::output:
      return "shape=plain";
    case Block::Kind::instance:
      return "shape=box, style=filled, fillcolor=\"#dbe9f6\", peripheries=2";
    case Block::Kind::slices:
      return "shape=box, style=filled, fillcolor=\"#fde3c8\"";
    case Block::Kind::memory:
      return "shape=box, style=filled, fillcolor=\"#e2f0d9\"";
    default:
      return "shape=box, style=filled, fillcolor=\"#f2f2f2\"";
  }
}

}  // namespace

std::string to_text(const Diagram& d) {
  std::string text = d.module + (d.about.empty() ? "" : ": " + d.about) + "\n";
  std::vector<std::string> in, out;
  for (const Block& b : d.blocks)
    if (is_port(b)) (b.kind == Block::Kind::input ? in : out).push_back(b.name + " " + b.text);
  text += wrapped("in ", in);
  for (std::uint32_t i = 0; i < d.blocks.size(); ++i) {
    if (is_port(d.blocks[i])) continue;
    std::vector<std::string> from, to;
    for (const Wire& w : d.wires) {
      if (w.to == i) from.push_back(wire_text(d, w, w.from));
      if (w.from == i && is_port(d.blocks[w.to])) to.push_back(d.blocks[w.to].name);
    }
    text += "\n" + wrapped("    <-", from) + box(d.blocks[i]) + wrapped("    ->", to);
  }
  return text + (out.empty() ? "" : "\n") + wrapped("out", out);
}

std::string to_dot(const Diagram& d) {
  std::string text = fmt::format(
      "digraph {} {{\n  rankdir=LR; nodesep=0.25; ranksep=0.6;\n"
      "  node [fontname=\"Helvetica\", fontsize=11]; edge [fontname=\"Helvetica\", fontsize=9, "
      "color=\"#606060\"];\n",
      in_quotes(d.module));
  for (std::size_t i = 0; i < d.blocks.size(); ++i) {
    const Block& b = d.blocks[i];
    std::string label = b.name;
    if (is_port(b))
      label += fmt::format(" [{}]", b.text);
    else
      label += "\n" + in_lines(b.text);
    auto shown = in_quotes(label);
    for (std::size_t at; (at = shown.find('\n')) != std::string::npos;) shown.replace(at, 1, "\\n");
    text += fmt::format("  b{} [label={}, tooltip={}, {}];\n", i, shown,
                        in_quotes(b.place.empty() ? b.name : b.place), style(b.kind));
  }
  for (const auto kind : {Block::Kind::input, Block::Kind::output}) {
    text += fmt::format("  {{ rank={};", kind == Block::Kind::input ? "source" : "sink");
    for (std::size_t i = 0; i < d.blocks.size(); ++i)
      if (d.blocks[i].kind == kind) text += fmt::format(" b{};", i);
    text += " }\n";
  }
  // A word has a thicker line than a bit.
  for (const Wire& w : d.wires)
    text +=
        fmt::format("  b{} -> b{} [label={}, penwidth={}];\n", w.from, w.to,
                    in_quotes(w.bits > 1 ? std::to_string(w.bits) : ""), w.bits > 1 ? 1.6 : 0.7);
  return text + "}\n";
}

std::string to_svg(const Diagram& d) {
  TemporaryFolder folder;
  write_file(folder.path() / "diagram.dot", to_dot(d));
  run_tool({"dot", "graphviz"},
           {.arguments = {"-Tsvg", "-odiagram.svg", "diagram.dot"}, .directory = folder.path()},
           "draw the module");
  return read_file(folder.path() / "diagram.svg");
}

}  // namespace kumiki::backends
