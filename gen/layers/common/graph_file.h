// SPDX-License-Identifier: Apache-2.0
// A trained network in a file next to the configuration: "graph": "net.graph". For every layer type
// that runs one.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gen/config/bind.h"
#include "gen/config/table.h"
#include "gen/graph/graph.h"

namespace kumiki::gen {

struct GraphFile {
  std::string file;                                // as the configuration names it
  std::shared_ptr<const graph::Graph> graph = {};  // null if it cannot be read
  std::optional<config::Violation> wrong = {};     // the reason, without a key
};

// FileError that names the file, what is wrong with it and what is required.
graph::Graph read_graph(const std::filesystem::path& path);

namespace config {

template <>
struct Bind<GraphFile> {
  using leaf = std::string;
  static Kind kind() { return {.form = Kind::Form::text, .rule = &file_path()}; }
  static void load(const Kind&, Node node, GraphFile& out);
  static void save(const Kind&, const GraphFile& value, Writer& to) { to.text(value.file); }
};

}  // namespace config
}  // namespace kumiki::gen
