// SPDX-License-Identifier: Apache-2.0
// MaxPool on an array: pooling in the layer before it.
#include <fmt/format.h>

#include "gen/layers/array/lowering/lowerer.h"

namespace kumiki::gen::array {
namespace {

using graph::Graph;
using graph::Node;
using graph::Window;

struct Pooling {
  std::optional<PoolRequest> pool;
  std::string why;  // without it: the reason
};

Pooling pooling_of(const Graph& graph, const Node& node, const Request& request) {
  const Window& w = std::get<graph::MaxPool>(node.op).window;
  const graph::Tensor &in = graph.tensors[node.inputs[0]], &out = graph.tensors[node.output];
  const auto not_built = [&](const std::string& what) {
    return Pooling{std::nullopt, what + ": 2x2 and 3x3 at stride 2 without padding are built"};
  };
  const int size = w.kernel[0];
  if (w.kernel[1] != size || (size != 2 && size != 3))
    return not_built(fmt::format("windows of {}", both(w.kernel)));
  if (w.stride != std::array{2, 2}) return not_built(fmt::format("a stride of {}", both(w.stride)));
  if (w.dilation != std::array{1, 1})
    return not_built(fmt::format("a dilation of {}", both(w.dilation)));
  for (const std::size_t a : {0, 1})  // padding that no window reads does not count
    if (w.before[a] != 0 || in.shape[a + 1] < size ||
        out.shape[a + 1] != (in.shape[a + 1] - size) / 2 + 1)
      return not_built("windows with padding");
  if (!request.max_pool.value_or(true))
    return {std::nullopt, "the array has no hardware for it: \"max_pool\" is false"};
  if (request.rows < size || request.columns < size)
    return {std::nullopt, fmt::format("windows of {}: the array is {} x {}", both(w.kernel),
                                      request.rows, request.columns)};
  return {PoolRequest{PoolKind::max, size}, ""};
}

}  // namespace

void to_array(Lowerer& l, std::size_t i, const graph::MaxPool&) {
  const Pooling pooling = pooling_of(l.graph(), l.graph().nodes[i], l.request());
  if (pooling.pool)
    l.pool(i, *pooling.pool);
  else
    l.leave(i, pooling.why);
}

}  // namespace kumiki::gen::array
