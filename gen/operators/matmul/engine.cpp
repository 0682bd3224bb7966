// SPDX-License-Identifier: Apache-2.0
// Products of two maps on the engine: columns multiply by weights that are pixels of the second
// map.
#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/factors.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

using graph::MatMul;

// The places of pixels of a block of the second map, one behind the other where they are.
std::vector<Fill> fills_of(const Map& map, std::int64_t block, std::int64_t first,
                           std::int64_t count) {
  std::vector<Fill> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t pixel = first + i,
                       place = map.place(block, pixel / map.width, pixel % map.width) - map.base;
    if (all.empty() || place != all.back().place + all.back().places)
      all.push_back({.place = place, .places = 0});
    ++all.back().places;
  }
  return all;
}

// What a group lacks on this engine.
void require_blocks(const Lowerer& l, const Job& j, const MatMul& op) {
  const graph::Node& n = l.node(j);
  const auto sizes = graph::sizes_of(op, graph::ends_of(l.graph(), n));
  const std::int64_t rows = l.shape().rows, columns = l.shape().columns;
  // What fills up a block of the second map must be its zero point, as products leave it.
  const auto maker = std::ranges::find(l.graph().nodes, n.inputs[1], &graph::Node::output);
  const bool is_filled_up =
      maker != l.graph().nodes.end() && std::holds_alternative<MatMul>(maker->op);
  if (sizes.terms % rows != 0 && !(is_filled_up && (op.lines == 2 || op.groups == 1)))
    has_no_unit(n,
                fmt::format("it adds {} products of a head; they must be a multiple of the {} rows",
                            sizes.terms, rows));
  if (op.lines == 2 && op.groups > 1 && sizes.outputs % columns != 0)
    has_no_unit(n,
                fmt::format("a head makes {} channels; they must be a multiple of the {} columns",
                            sizes.outputs, columns));
  if (l.location(n.inputs[0]).map.phases != std::array<std::int64_t, 2>{1, 1})
    has_no_unit(n, "something else reads its first map with a stride");
}

}  // namespace

std::string no_unit(const Known& known, const graph::Node& n, const MatMul& op) {
  const graph::Graph& g = known.graph();
  if (op.by_pixels == 1)
    return fmt::format(
        "its second map has {} channels; they must be a multiple of the engine's rows",
        g.tensors[n.inputs[1]].shape[0]);
  if (op.lines == 0 && g.tensors[n.inputs[0]].shape[1] > 1)
    return "its first map has several lines; it must have one";
  return rounded_sum(g, n);
}

void to_engine(Lowerer& l, const Job& j, const MatMul& op) {
  require_blocks(l, j, op);
  const graph::Node& n = l.node(j);
  const auto sizes = graph::sizes_of(op, graph::ends_of(l.graph(), n));
  const std::int64_t rows = l.shape().rows, columns = l.shape().columns;
  const Map first = l.location(n.inputs[0]).map, second = l.location(n.inputs[1]).map;
  const Factors factors(l.tensor(n.inputs[0]), l.tensor(n.inputs[1]));
  const bool has_lines = op.lines == 2, makes_lines = op.lines == 1;
  // A result whose pixels are weights fills its blocks: with its zero point, which adds nothing.
  const bool is_second = std::ranges::any_of(l.graph().nodes, [&](const graph::Node& reader) {
    return std::holds_alternative<MatMul>(reader.op) && reader.inputs[1] == n.output;
  });
  const std::int64_t blocks = ceil_div(sizes.terms, rows),
                     outputs = is_second ? ceil_div(sizes.outputs, rows) * rows : sizes.outputs,
                     tiles = ceil_div(outputs, columns);

  std::vector<Parameter> parameters(static_cast<std::size_t>(tiles * columns));
  std::fill_n(parameters.begin(), sizes.outputs,
              Parameter{.bias = static_cast<std::int32_t>(factors.bias * blocks * rows),
                        .factor = arith::float_factor(graph::rules_of(l.graph(), n)[0].scale)});
  std::vector<std::int8_t> weights;
  if (l.has_weights())
    for (std::int64_t tile = 0; tile < tiles; ++tile)
      for (const std::int8_t constant : factors.constants)
        weights.insert(weights.end(), static_cast<std::size_t>(blocks * rows * columns), constant);

  for (std::int64_t group = 0; group < op.groups; ++group) {
    const std::int64_t from_block = has_lines ? 0 : group * blocks,
                       from_pixel = has_lines ? group * sizes.outputs : 0,
                       from_channel = makes_lines ? 0 : group * sizes.outputs;
    Part part{.walk = {.from = first.place(from_block, has_lines ? group : 0, 0) - first.base,
                       .block_step = first.block(),
                       .blocks = blocks,
                       .width = sizes.pixels,
                       .pitch = sizes.pixels,
                       .taps = {}},
              .first = {makes_lines ? group : 0, 0}};
    factors.put_into(part.walk, {.offset = 0, .from = {0, 0}, .to = {1, sizes.pixels}});
    Op made{.unit = Unit::products,
            .walk = part.walk,
            .first_tile = from_channel / columns,
            .tiles = tiles,
            .first_channel = from_channel,
            .channels = outputs,
            .target = l.target(j.output, part),
            .parameters = parameters,
            .weights = weights};
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      std::vector<Fill>& fills = made.fills.emplace_back();
      for (std::int64_t word = 0; word < factors.of_weights(); ++word)
        for (std::int64_t block = 0; block < blocks; ++block) {
          // Columns without a result read pixels that are there.
          std::int64_t first_pixel = tile * columns;
          for (std::int64_t left = columns; left > 0; first_pixel = 0) {
            const std::int64_t pixels =
                std::min(left, std::max<std::int64_t>(sizes.outputs - first_pixel, 0));
            for (const Fill& fill :
                 fills_of(second, from_block + block, from_pixel + first_pixel, pixels))
              fills.push_back(fill);
            left -= pixels;
          }
        }
    }
    l.set_range(made, n);
    l.add(j, n.inputs[0], part, std::move(made));
  }
}

}  // namespace kumiki::gen::engine
