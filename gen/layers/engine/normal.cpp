// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/normal.h"

#include <fmt/format.h>

#include "gen/layers/engine/hardware/normaliser.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

std::string why_not_normalised(const Known& known, const graph::Node& n, int integers) {
  const graph::Tensor& out = known.graph().tensors[n.output];
  if (integers == 0)
    return "it is rounded as float32 rounds it; import the model with --averages sums, which "
           "computes it in integers";
  if (!known.has_normaliser())
    return "the engine has no normaliser; give it \"normaliser\": \"lanes\"";
  if (out.shape[0] > NormaliserPlan::most_size)
    return fmt::format("it normalises {} numbers; they must be at most {}", out.shape[0],
                       NormaliserPlan::most_size);
  if (out.format.bits != 8)
    return fmt::format("its results have {} bits; they must have 8", out.format.bits);
  return {};
}

void normalise(Lowerer& l, const Job& j) {
  const graph::Node& n = l.node(j);
  const Map from = l.location(n.inputs[0]).map, to = l.location(j.output).map;
  for (const Map* map : {&from, &to})
    if (map->phases != std::array<std::int64_t, 2>{1, 1})
      has_no_unit(n, "something else reads its map, or its result, with a stride");
  Normalise step{.node = j.node,
                 .result = j.output,
                 .from_step = from.block(),
                 .to_step = to.block(),
                 .channels = from.channels,
                 .integers = normal_of(l.graph(), n)};
  // What is between two lines belongs to the maps.
  const bool is_one = from.pitch == to.pitch;
  step.pixels = is_one ? (from.height - 1) * from.pitch + from.width : from.width;
  for (std::int64_t y = 0; y < (is_one ? 1 : from.height); ++y) {
    step.from = from.place(0, y, 0) - from.base;
    step.to = to.place(0, y, 0) - to.base;
    l.add(j, step);
  }
}

std::variant<graph::SoftmaxIntegers, graph::NormIntegers> normal_of(const graph::Graph& g,
                                                                    const graph::Node& n) {
  const graph::Tensor &in = g.tensors[n.inputs[0]], &out = g.tensors[n.output];
  const std::int64_t less = stored_less(out);
  if (std::holds_alternative<graph::Softmax>(n.op)) {
    graph::SoftmaxIntegers all = graph::integers_of(in, out);
    all.zero -= less;
    all.most -= less;
    return all;
  }
  graph::NormIntegers all = graph::integers_of(std::get<graph::LayerNorm>(n.op), in, out);
  for (std::int64_t& bias : all.biases)
    bias -= less * (std::int64_t{1} << graph::NormIntegers::point_bits);
  all.least -= less;
  all.most -= less;
  return all;
}

}  // namespace kumiki::gen::engine
