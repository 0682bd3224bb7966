// SPDX-License-Identifier: Apache-2.0
// The mean of a map on an array.
#include <fmt/format.h>

#include <algorithm>

#include "gen/layers/array/lowering/lowerer.h"
#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {
namespace {

using graph::Graph;
using graph::Node;

// A convolution in groups of one channel with weights of 1. There is one result, so the stride is
// free: the smallest one that needs at most this reach.
NodeLayer layer_of_average(const Graph& graph, const Node& node, int data_bits,
                           std::int64_t reach) {
  const graph::Tensor &in = graph.tensors[node.inputs[0]], &out = graph.tensors[node.output];
  NodeLayer result;
  NetworkLayer l;
  if (!set_numbers(result, l, in, out, data_bits)) return result;
  const int channels = in.shape[0], rows = in.shape[1], columns = in.shape[2];
  const int side = std::max(rows, columns);
  if (side > largest_kernel) {
    result.why = fmt::format("the mean of {} pixels: at most {} a side are built",
                             both({rows, columns}), largest_kernel);
    return result;
  }
  l.type = LayerType::conv;
  l.in_channels = l.out_channels = l.groups = channels;
  l.height = rows;
  l.width = columns;
  l.kernel = side;
  int stride = 1;
  while (stride < largest_stride && phases_of(side, stride, 1).reach() > reach) ++stride;
  l.stride = std::int64_t{stride};
  l.padding = padding_of({0, 0}, {side - rows, side - columns});
  config::Weights w;
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) w.values.push_back(y < rows && x < columns ? 1 : 0);
  w.shape = {w.values.size()};
  l.weights = std::move(w);
  l.bias = std::vector<std::int64_t>(static_cast<std::size_t>(channels), 0);
  l.scale = double{graph::rules_of(graph, node)[0].scale};
  result.why = "channel by channel with weights of 1";
  result.layer = std::move(l);
  return result;
}

}  // namespace

void to_array(Lowerer& l, std::size_t i, const graph::GlobalAverage&) {
  // The reach that other layers need decides.
  l.at_the_end([&l, i] {
    l.add(i, layer_of_average(l.graph(), l.graph().nodes[i], l.data_bits(), l.reach()));
  });
}

}  // namespace kumiki::gen::array
