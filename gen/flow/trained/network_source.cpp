// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/network_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "gen/config/messages.h"
#include "gen/layers/common/graph_file.h"
#include "gen/onnx/import.h"
#include "ir/error.h"
#include "ir/printable.h"

namespace kumiki::flow {

bool is_network(const std::filesystem::path& path) {
  return path.extension() == ".graph" || path.extension() == ".onnx";
}

std::string ends_text(const gen::graph::Graph& graph) {
  const auto line = [&](const char* what, gen::graph::TensorId id) {
    const gen::graph::Tensor& t = graph.tensors[id];
    return fmt::format("{:8}{}: {}, {}, scale {:.6g}, zero point {}\n", what, t.name,
                       gen::graph::to_string(t.shape), to_string(t.format), t.scale, t.zero_point);
  };
  std::string text;
  const auto inputs = all_inputs(graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text += line("input", inputs[i]);
    std::vector<std::string> steps;
    for (const auto& p : graph.preparation)
      if (p.input == i)
        steps.push_back(fmt::format("{} {}", name_of(p.kind), fmt::join(p.values, " ")));
    if (!steps.empty())
      text += fmt::format("        before it is quantised, a number for all or one a channel: {}\n",
                          fmt::join(steps, ", "));
  }
  for (const auto id : graph.outputs) text += line("output", id);
  return text;
}

void write_preparation(gen::config::Writer& w, const gen::graph::Graph& graph) {
  if (graph.preparation.empty()) return;
  w.objects("preparation", graph.preparation, [&](const gen::graph::Preparation& p) {
    w.member("kind", name_of(p.kind));
    if (!graph.more_inputs.empty())
      w.member("input", graph.tensors[all_inputs(graph)[p.input]].name);
    w.member("values", std::vector<double>(p.values.begin(), p.values.end()));
  });
}

Network load_network(const std::filesystem::path& path, gen::onnx::Averages averages,
                     const std::string& called) {
  if (path.extension() == ".graph") return {.graph = gen::read_graph(path), .notes = {}};
  if (path.extension() == ".onnx") {
    auto imported = gen::onnx::import_model(gen::onnx::read_model(path),
                                            called.empty() ? path.string() : called, averages);
    // Exporters give generic names to every graph; the file's own name is more specific.
    static constexpr std::string_view generic[] = {"",      "torch_jit",  "torch-jit-export",
                                                   "main",  "main_graph", "graph",
                                                   "model", "tf2onnx",    "keras2onnx"};
    if (std::ranges::find(generic, imported.graph.name) != std::end(generic))
      imported.graph.name = printable(path.stem().string());
    return {.graph = std::move(imported.graph), .notes = std::move(imported.notes)};
  }
  throw FileError(code::unknown_suffix,
                  fmt::format("{} is not a network; give a model, NAME.onnx, or a graph in text "
                              "form, NAME.graph; run takes configurations too, NAME.json",
                              path.string()));
}

}  // namespace kumiki::flow
