// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/common/graph_file.h"

#include <fmt/format.h>

#include "gen/config/messages.h"
#include "gen/config/source.h"
#include "gen/graph/messages.h"
#include "gen/graph/text.h"
#include "ir/error.h"

namespace kumiki::gen {
namespace {

// A weight takes about four characters.
constexpr std::size_t longest_text = std::size_t{1} << 30;

}  // namespace

graph::Graph read_graph(const std::filesystem::path& path) {
  const std::string text = config::load_text(path, longest_text, "a network");
  if (text.size() > longest_text)
    throw FileError({.code = code::file_too_long,
                     .wrong = path.string() + " is too long",
                     .required = fmt::format("it must have at most {} bytes", longest_text)});
  try {
    return graph::parse_graph(path.string(), text);
  } catch (const DesignError& e) {
    // Violated rules of graphs name nodes and tensors, but not the file.
    const bool has_place = e.code() == code::graph_text;
    Diagnostic d = e.diagnostic();
    if (!has_place) d.wrong = fmt::format("{}:\n{}", path.string(), d.wrong);
    throw FileError(std::move(d));
  }
}

void config::Bind<GraphFile>::load(const Kind&, Node node, GraphFile& out) {
  out = {.file = node.text()};
  try {
    out.graph = std::make_shared<const graph::Graph>(read_graph(node.folder() / out.file));
  } catch (const FileError& e) {
    const Diagnostic& d = e.diagnostic();
    out.wrong = {
        d.code, "", d.wrong,
        d.required.empty() ? "give a graph in text form, as kumiki import writes it" : d.required,
        true};
  }
}

}  // namespace kumiki::gen
