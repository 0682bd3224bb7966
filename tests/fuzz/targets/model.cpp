// SPDX-License-Identifier: Apache-2.0
#include "gen/onnx/model.h"

#include "gen/graph/interpret.h"
#include "gen/graph/picture.h"
#include "gen/graph/plan.h"
#include "gen/graph/text.h"
#include "gen/onnx/import.h"
#include "ir/error.h"
#include "tests/fuzz/targets/targets.h"

namespace kumiki::fuzz {
namespace {

namespace graph = gen::graph;

// A model may well ask for hours of arithmetic; what is asked here is whether it means something.
bool is_small(const graph::Graph& g) {
  std::size_t numbers = 0, channels = 0;
  for (const graph::Tensor& t : g.tensors) numbers += graph::count(t.shape);
  std::size_t products = 0;
  for (const graph::Node& n : g.nodes)
    if (const auto* conv = std::get_if<graph::Conv>(&n.op)) {
      products +=
          conv->weights.size() * graph::count(g.tensors[n.output].shape) / conv->bias.size();
      channels += conv->bias.size();
    }
  return numbers < 1 << 18 && products < 1 << 22 && channels < 200;
}

}  // namespace

void model(std::string_view bytes) {
  try {
    const auto read = gen::onnx::parse_model(bytes, "fuzz.onnx", "no-such-folder");
    const auto imported = gen::onnx::import_model(read, "fuzz.onnx");
    const graph::Graph& g = imported.graph;
    require(graph::check(g).empty(), "the graph of a model breaks the rules of graphs");
    const std::string once = graph::to_text(g);
    require(graph::parse_graph("again.graph", once) == g, "the graph reads as another one");
    require(!graph::network_svg(g).empty(), "the graph has no picture");
    if (!is_small(g)) return;
    require(graph::plan(g).is_equal(), "a requantisation is not equal to onnxruntime's");
    const graph::Interpreter network(g);
    const graph::Tensor& input = g.tensors[g.input];
    graph::Interpreter::Memory memory;
    for (const auto value : {input.format.range().lo, input.format.range().hi}) {
      network.run(std::vector<std::int32_t>(graph::count(input.shape), static_cast<int>(value)),
                  memory);
      for (std::size_t t = 0; t < g.tensors.size(); ++t)
        for (const auto number : memory[t])
          require(g.tensors[t].format.range().contains(number), "a number leaves its tensor");
    }
  } catch (const FileError&) {
  } catch (const DesignError&) {
  }
}

}  // namespace kumiki::fuzz
