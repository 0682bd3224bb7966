// SPDX-License-Identifier: Apache-2.0
// The product of a map and a gate, one number for each channel, on the engine: the depthwise unit
// multiplies by weights that are numbers of the map of the gate.
//
// Numbers are stored less 128 or 0, so those less their zero points are a + d and g + e with the
// same d and e for all. Of the four products a * g and d * g take the weight g, where d is what
// pads; a * e takes the weight e; d * e is the bias. What is no byte, like 128, takes several
// words.
#include "gen/operators/mul/engine.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

// What is added to a stored number.
std::int64_t added_to(const graph::Tensor& t) { return stored_less(t) - t.zero_point; }

// Bytes with this sum.
std::vector<std::int8_t> bytes_of(std::int64_t sum) {
  std::vector<std::int8_t> all;
  for (constexpr std::int64_t most = 127; sum != 0;) {
    const std::int64_t part = std::clamp(sum, -most, most);
    all.push_back(static_cast<std::int8_t>(part));
    sum -= part;
  }
  return all;
}
// The fewest equal bytes.
struct Equal {
  std::int64_t count = 0, each = 0;
  explicit Equal(std::int64_t sum) {
    for (count = ceil_div(std::abs(sum), std::int64_t{127}); count > 0 && sum % count != 0;)
      ++count;
    if (count > 0) each = sum / count;
  }
};

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

namespace {

// The words of a set: the map by the gate, what pads by the gate, the map by constants.
struct Words {
  std::int64_t numbers;
  Equal pads;
  std::vector<std::int8_t> constants;
  Words(const graph::Tensor& map, const graph::Tensor& gate, std::int64_t factor)
      : numbers(factor),
        pads(factor * added_to(map)),
        constants(bytes_of(factor * added_to(gate))) {}
  std::int64_t count() const { return numbers + pads.count + std::ssize(constants); }
};

}  // namespace

std::string no_unit(const graph::Graph& g, const graph::Node& n, const graph::Mul&) {
  const auto both = gated(g, n);
  if (!both) return "it multiplies two maps; one of them must be a number for each channel";
  const auto products = products_of(g, n);
  if (!products || Words(g.tensors[both->map], g.tensors[both->gate], products->factor).count() >
                       EngineShape::most_taps)
    return "no scale gives its products";
  return {};
}

void to_engine(Lowerer& l, const Job& j, const graph::Mul&) {
  const graph::Node& n = l.node(j);
  const graph::TensorId map = j.product.value().map, gate = j.product.value().gate;
  const Products products = l.known().products(n).value();
  const Words words(l.tensor(map), l.tensor(gate), products.factor);
  const std::int64_t rows = l.shape().rows, gate_step = l.location(gate).map.block(),
                     bias = products.factor * added_to(l.tensor(map)) * added_to(l.tensor(gate));
  const Parameter parameter{.bias = static_cast<std::int32_t>(bias + products.addend),
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
      op.walk.pad = static_cast<std::int8_t>(words.pads.each);
      op.walk.taps.assign(static_cast<std::size_t>(words.count()), part.walk.taps[0]);
      std::fill_n(op.walk.taps.begin() + words.numbers, words.pads.count, Tap{});
      op.gate = {.place = block * gate_step, .words = words.numbers + words.pads.count};
      op.weights.clear();
      for (const std::int8_t weight : words.constants)
        op.weights.insert(op.weights.end(), static_cast<std::size_t>(rows), weight);
      op.parameters.assign(static_cast<std::size_t>(rows), parameter);
      l.set_range(op, n);
      l.add(j, map, part, std::move(op));
    }
  });
}

}  // namespace kumiki::gen::engine
