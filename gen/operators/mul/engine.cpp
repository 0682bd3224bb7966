// SPDX-License-Identifier: Apache-2.0
// The product of a map and a gate, one number for each channel, on the engine: the depthwise unit
// multiplies by weights that are numbers of the map of the gate.
//
// Numbers are stored less 128 or 0, so those less their zero points are a + d and g + e with the
// same d and e for all. Of the four products a * g and d * g take the weight g, where d is what
// pads; a * e takes the weight e; d * e is the bias. 128 is no byte, so it is added as 64 and 64.
#include "gen/operators/mul/engine.h"

#include <algorithm>
#include <vector>

#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

// What is added to a stored number.
std::int64_t added_to(const graph::Tensor& t) { return stored_less(t) - t.zero_point; }

struct Bytes {
  std::int64_t count, each;
  explicit Bytes(std::int64_t sum)
      : count(sum == 0    ? 0
              : sum > 127 ? 2
                          : 1),
        each(sum == 0 ? 0 : sum / count) {}
};

}  // namespace

// A lane rounds before it adds the zero point, onnxruntime adds it first. Near a tie that differs,
// so another scale is found that is right for every pair of numbers.
std::optional<float> scale_of(const graph::Graph& g, const graph::Node& n) {
  const graph::Tensor &a = g.tensors[n.inputs[0]], &b = g.tensors[n.inputs[1]],
                      &out = g.tensors[n.output];
  const std::int32_t lowest = graph::lowest(out), highest = lowest + (1 << out.format.bits) - 1;
  struct Result {
    std::int64_t product, number;
  };
  std::vector<Result> results;
  double low = 0, high = 0x1p14;
  for (std::int32_t i = 0; i < 1 << a.format.bits; ++i)
    for (std::int32_t k = 0; k < 1 << b.format.bits; ++k) {
      const std::int32_t qa = graph::lowest(a) + i, qb = graph::lowest(b) + k,
                         number = graph::multiplied(a, b, out, qa, qb),
                         product = (qa - a.zero_point) * (qb - b.zero_point);
      results.push_back({product, number});
      if (product == 0) continue;
      // What times the scale must pass, and what it must not.
      const double least = (number - out.zero_point - 0.5) / product,
                   most = (number - out.zero_point + 0.5) / product;
      if (number > lowest)
        (product > 0 ? low : high) = product > 0 ? std::max(low, least) : std::min(high, least);
      if (number < highest)
        (product > 0 ? high : low) = product > 0 ? std::min(high, most) : std::max(low, most);
    }
  const auto scale = static_cast<float>((low + high) / 2);
  if (!(scale > 0)) return {};
  const arith::FloatFactor factor = arith::float_factor(scale);
  for (const Result& r : results)
    if (arith::requantised(factor, out.zero_point, out.format.range(), r.product) != r.number)
      return {};
  return scale;
}

std::string no_unit(const graph::Graph& g, const graph::Node& n, const graph::Mul&) {
  if (!gated(g, n)) return "it multiplies two maps; one of them must be a number for each channel";
  if (!scale_of(g, n)) return "no scale gives its products";
  return {};
}

void to_engine(Lowerer& l, const Job& j, const graph::Mul&) {
  const graph::Node& n = l.node(j);
  const auto [map, gate] = gated(l.graph(), n).value();
  const std::int64_t rows = l.shape().rows, d = added_to(l.tensor(map)),
                     e = added_to(l.tensor(gate));
  const Bytes pads(d), weights(e);
  const Parameter parameter{.bias = static_cast<std::int32_t>(d * e),
                            .factor = arith::float_factor(l.known().scale(n).value())};
  const std::int64_t gate_step = l.location(gate).map.block();
  l.walks(j, [&](const Part& part) {
    const Op plain = l.plain(part, j.output, Unit::depthwise);
    for (std::int64_t block = 0; block < plain.tiles; ++block) {
      Op op = plain;
      op.first_tile = block;
      op.tiles = 1;
      op.first_channel = block * rows;
      op.channels = std::min(rows, plain.channels - block * rows);
      op.walk.from += block * plain.walk.tile_step;
      op.walk.pad = static_cast<std::int8_t>(pads.each);
      const Tap number = part.walk.taps[0];
      op.walk.taps.insert(op.walk.taps.end(), static_cast<std::size_t>(pads.count), Tap{});
      op.walk.taps.insert(op.walk.taps.end(), static_cast<std::size_t>(weights.count), number);
      op.gate = {.place = block * gate_step, .words = 1 + pads.count};
      op.weights.assign(static_cast<std::size_t>(weights.count * rows),
                        static_cast<std::int8_t>(weights.each));
      op.parameters.assign(static_cast<std::size_t>(rows), parameter);
      l.set_range(op, n);
      l.add(j, map, part, std::move(op));
    }
  });
}

}  // namespace kumiki::gen::engine
