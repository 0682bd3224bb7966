// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/network_source.h"

#include <fmt/format.h>

#include "gen/config/source.h"
#include "gen/graph/text.h"
#include "gen/onnx/import.h"
#include "ir/error.h"

namespace kumiki::cli {
namespace {

// A number of a weight takes four characters, mostly.
constexpr std::size_t longest_text = std::size_t{1} << 30;

gen::graph::Graph read_graph(const std::filesystem::path& path) {
  const std::string text = gen::config::load_text(path, longest_text, "a network");
  if (text.size() > longest_text)
    throw FileError(Code::file_too_long, fmt::format("{} is too long: {} bytes at most are legal",
                                                     path.string(), longest_text));
  try {
    return gen::graph::parse_graph(path.string(), text);
  } catch (const DesignError& e) {
    // Rules of graphs that are broken name nodes and tensors, not the file.
    const bool has_place = e.code() == Code::graph_text;
    throw FileError(e.code(),
                    has_place ? e.what() : fmt::format("{}:\n{}", path.string(), e.what()));
  }
}

}  // namespace

bool is_network(const std::filesystem::path& path) {
  return path.extension() == ".graph" || path.extension() == ".onnx";
}

std::string end_text(const gen::graph::Tensor& t) {
  return fmt::format("{}, {}, scale {:.6g}, zero point {}", gen::graph::to_string(t.shape),
                     to_string(t.format), t.scale, t.zero_point);
}

Network load_network(const std::filesystem::path& path) {
  if (path.extension() == ".graph") return {.graph = read_graph(path), .notes = {}};
  if (path.extension() == ".onnx") {
    auto imported = gen::onnx::import_model(path);
    return {.graph = std::move(imported.graph), .notes = std::move(imported.notes)};
  }
  throw FileError(Code::unknown_suffix,
                  fmt::format("{} is no network: a model, NAME.onnx, or a graph in text form, "
                              "NAME.graph, is legal",
                              path.string()));
}

}  // namespace kumiki::cli
