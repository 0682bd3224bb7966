// SPDX-License-Identifier: Apache-2.0
// The product of a map and a gate, one number for each channel, on the engine: the depthwise unit
// multiplies by weights that are numbers of the map of the gate.
#include "gen/operators/mul/engine.h"

#include <algorithm>
#include <vector>

#include "gen/layers/engine/factors.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

// The products at which results begin: results are monotone.
struct Begin {
  double half;                                       // the result less the zero point less a half
  std::int64_t least = 1 << 24, below = -(1 << 24);  // the least one from there on; the next lower
};

struct Result {
  std::int64_t product, number;
};
std::vector<Result> results_of(const graph::Tensor& a, const graph::Tensor& b,
                               const graph::Tensor& out) {
  std::vector<Result> all;
  for (std::int32_t i = 0; i < 1 << a.format.bits; ++i)
    for (std::int32_t k = 0; k < 1 << b.format.bits; ++k) {
      const std::int32_t qa = graph::lowest(a) + i, qb = graph::lowest(b) + k;
      all.push_back(
          {(qa - a.zero_point) * (qb - b.zero_point), graph::multiplied(a, b, out, qa, qb)});
    }
  return all;
}

std::vector<Begin> begins_of(const std::vector<Result>& results, const graph::Tensor& out) {
  const std::int32_t lowest = graph::lowest(out), highest = lowest + (1 << out.format.bits) - 1;
  std::vector<Begin> all;
  for (std::int32_t q = lowest + 1; q <= highest; ++q)
    all.push_back({.half = q - out.zero_point - 0.5});
  for (const Result& r : results) {
    const auto number = static_cast<std::size_t>(r.number - lowest);
    if (number > 0) all[number - 1].least = std::min(all[number - 1].least, r.product);
    if (number < all.size()) all[number].below = std::max(all[number].below, r.product);
  }
  // Numbers that no pair gives begin with the next one.
  for (std::size_t i = all.size(); i-- > 1;)
    all[i - 1].least = std::min(all[i - 1].least, all[i].least);
  for (std::size_t i = 1; i < all.size(); ++i)
    all[i].below = std::max(all[i].below, all[i - 1].below);
  return all;
}

// The scale in the middle of those with which all results begin where they have to, if `added` is
// added to each product; not above 0: there is none.
double middle(const std::vector<Begin>& begins, double added) {
  double low = 0, high = 0x1p14;
  const auto bound = [&](double product, double half, bool reaches) {
    if (product == 0) return;
    const double at = half / product;
    if (reaches == (product > 0))
      low = std::max(low, at);
    else
      high = std::min(high, at);
  };
  for (const Begin& b : begins) {
    if (b.least < 1 << 24) bound(static_cast<double>(b.least) + added, b.half, true);
    if (b.below > -(1 << 24)) bound(static_cast<double>(b.below) + added, b.half, false);
  }
  return low <= high ? (low + high) / 2 : 0;
}

}  // namespace

// A lane rounds before it adds the zero point, onnxruntime adds it first. Near a tie that differs,
// so another scale is found that is right for every pair of numbers. Where results on both sides
// of 0 want different ones, a part of 1 is added to each product: 1 to a multiple of it.
std::optional<Products> products_of(const graph::Graph& g, const graph::Node& n) {
  constexpr std::int64_t most_factor = 100, most_addend = 3;
  const graph::Tensor &a = g.tensors[n.inputs[0]], &b = g.tensors[n.inputs[1]],
                      &out = g.tensors[n.output];
  const std::vector<Result> results = results_of(a, b, out);
  const std::vector<Begin> begins = begins_of(results, out);
  for (std::int64_t factor = 1; factor <= most_factor; ++factor)
    for (std::int64_t addend = -most_addend; addend <= most_addend; ++addend) {
      const double times = static_cast<double>(factor);
      const auto scale =
          static_cast<float>(middle(begins, static_cast<double>(addend) / times) / times);
      if (!(scale > 0)) continue;
      const arith::FloatFactor f = arith::float_factor(scale);
      if (std::ranges::all_of(results, [&](const Result& r) {
            return arith::requantised(f, out.zero_point, out.format.range(),
                                      factor * r.product + addend) == r.number;
          }))
        return Products{.factor = factor, .addend = addend, .scale = scale};
    }
  return {};
}

std::string no_unit(const Known& known, const graph::Node& n, const graph::Mul&) {
  const graph::Graph& g = known.graph();
  const auto both = gated(g, n);
  if (!both) return "it multiplies two maps; one of them must be a number for each channel";
  const auto& products = known.products(n);
  if (!products || Factors(g.tensors[both->map], g.tensors[both->gate], products->factor).count() >
                       EngineShape::most_taps)
    return "no scale gives its products";
  return {};
}

void to_engine(Lowerer& l, const Job& j, const graph::Mul&) {
  const graph::Node& n = l.node(j);
  const graph::TensorId map = j.product.value().map, gate = j.product.value().gate;
  const Products products = l.known().products(n).value();
  const Factors factors(l.tensor(map), l.tensor(gate), products.factor);
  const std::int64_t rows = l.shape().rows, gate_step = l.location(gate).map.block();
  const Parameter parameter{.bias = static_cast<std::int32_t>(factors.bias + products.addend),
                            .factor = arith::float_factor(products.scale)};
  l.walks(j, [&](const Part& part) {
    const Op plain = l.plain(part, j.output, Unit::depthwise);
    for (std::int64_t block = 0; block < plain.tiles; ++block) {
      Op op = plain;
      op.first_tile = block;
      op.tiles = 1;
      op.first_channel = block * rows;
      op.channels = std::min(rows, plain.channels - block * rows);
      op.walk.from += block * plain.walk.tile_step;
      factors.put_into(op.walk, part.walk.taps[0]);
      op.fills = {{static_cast<std::size_t>(factors.of_weights()),
                   Fill{.place = block * gate_step, .places = 1}}};
      op.weights.clear();
      for (const std::int8_t weight : factors.constants)
        op.weights.insert(op.weights.end(), static_cast<std::size_t>(rows), weight);
      op.parameters.assign(static_cast<std::size_t>(rows), parameter);
      l.set_range(op, n);
      l.add(j, map, part, std::move(op));
    }
  });
}

}  // namespace kumiki::gen::engine
