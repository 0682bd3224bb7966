// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/boxes.h"
#include "gen/graph/plan.h"
#include "ir/picture/text.h"

namespace kumiki::gen::graph {
namespace {

std::string number_text(const Tensor& t) {
  return fmt::format("{} {}", to_string(t.format), to_string(t.shape));
}

const char* style_of(const Operator& op) {
  if (std::holds_alternative<Conv>(op)) return "multiplies";
  const bool moves = hands_on(op) && window_of(op) == nullptr;
  return moves ? "moves" : "computes";
}

// Boxes for the input, the nodes and the outputs.
Boxes drawn(const Graph& g) {
  Boxes d;
  std::vector<std::size_t> maker(g.tensors.size());
  for (const TensorId id : all_inputs(g)) {
    maker[id] = d.boxes.size();
    d.boxes.push_back(
        {shortened(g.tensors[id].name), {"input", number_text(g.tensors[id])}, "end"});
  }
  for (const Node& n : g.nodes) {
    const std::size_t self = d.boxes.size();
    for (const TensorId id : n.inputs) d.lines.emplace_back(maker[id], self);
    maker[n.output] = self;
    Box box{
        shortened(n.name), {description(n.op), number_text(g.tensors[n.output])}, style_of(n.op)};
    if (const auto products = products_of(g, n); products > 0)
      box.lines.push_back(picture::grouped(products) + " products");
    d.boxes.push_back(std::move(box));
  }
  for (const TensorId id : g.outputs) {
    d.lines.emplace_back(maker[id], d.boxes.size());
    d.boxes.push_back({shortened(g.tensors[id].name), {"output"}, "end"});
  }
  return d;
}

}  // namespace

std::string network_svg(const Graph& g) {
  return boxes_svg(drawn(g), {{"multiplies", "fill:#9ecae1", "fill:#1f5478"},
                              {"computes", "fill:#d5c9ec", "fill:#4c3f70"},
                              {"moves", "fill:#eeeeee", "fill:#2c3138"},
                              {"end", "fill:#dff0c8", "fill:#3f5323"}});
}

std::string network_text(const Graph& g) {
  std::vector<std::string> maker(g.tensors.size());
  std::string text;
  for (const TensorId id : all_inputs(g)) {
    maker[id] = g.tensors[id].name;
    text += fmt::format("{}: input {}\n", g.tensors[id].name, number_text(g.tensors[id]));
  }
  for (const Node& n : g.nodes) {
    std::vector<std::string> read;
    for (const TensorId id : n.inputs) read.push_back(maker[id]);
    maker[n.output] = n.name;
    text += fmt::format("{}: {} of {} makes {}\n", n.name, description(n.op),
                        fmt::join(read, " and "), number_text(g.tensors[n.output]));
  }
  for (const TensorId id : g.outputs)
    text += fmt::format("{}: output of {}\n", g.tensors[id].name, maker[id]);
  return text;
}

}  // namespace kumiki::gen::graph
