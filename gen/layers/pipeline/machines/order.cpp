// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/order.h"

#include <algorithm>
#include <numeric>

#include "gen/layers/pipeline/streamed.h"

namespace kumiki::gen::pipeline {
namespace {

// Calls action(channel, line, column, source) for every number of the result.
template <class Action>
void for_each_source(const graph::Shape& shape, const Sources& sources, Action&& action) {
  auto source = sources.begin();
  for (std::size_t c = 0; c < static_cast<std::size_t>(shape[0]); ++c)
    for (std::size_t r = 0; r < static_cast<std::size_t>(shape[1]); ++r)
      for (std::size_t k = 0; k < static_cast<std::size_t>(shape[2]); ++k)
        action(c, r, k, *source++);
}

Border border_of(const graph::Shape& shape, const Sources& sources) {
  const auto none = [&](std::size_t axis) {
    return std::vector(static_cast<std::size_t>(shape[axis]), false);
  };
  Border b{none(0), none(1), none(2)};
  for_each_source(shape, sources, [&](std::size_t c, std::size_t r, std::size_t k, auto source) {
    if (source >= 0) b.channels[c] = b.lines[r] = b.columns[k] = true;
  });
  return b;
}

}  // namespace

Order order_of(const graph::Graph& g, const graph::Node& n, const Sources& sources) {
  const graph::Tensor& in = g.tensors[n.inputs[0]];
  graph::Tensor map = g.tensors[n.output];
  Order order{.plans = {}, .border = border_of(map.shape, sources)};
  Border& b = order.border;
  if (const auto* pick = std::get_if<graph::Pick>(&n.op)) b.fill = pick->fill;
  Sources moved;
  bool is_around = true;
  for_each_source(map.shape, sources,
                  [&](std::size_t c, std::size_t r, std::size_t k, auto source) {
                    is_around &= (source >= 0) == (b.channels[c] && b.lines[r] && b.columns[k]);
                    if (source >= 0) moved.push_back(source);
                  });
  if (!is_around)
    throw NoMachine(n, "its constants are not whole channels, lines and columns of the result");
  if (moved.empty()) throw NoMachine(n, "it has no number of its input");
  std::size_t axis = 0;
  for (const auto* inside : {&b.channels, &b.lines, &b.columns})
    map.shape[axis++] = static_cast<int>(std::ranges::count(*inside, true));
  Sources same(moved.size());
  std::iota(same.begin(), same.end(), 0);
  if (!b.is_there() || map.shape != in.shape || moved != same)
    order.plans = reordered(in, map, moved);
  return order;
}

}  // namespace kumiki::gen::pipeline
