// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/layer_norm/meaning.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kumiki::gen::graph {
namespace {

// The values of a pixel become normalised ones.
void normalise(const LayerNorm& op, std::vector<float>& row) {
  const std::size_t size = row.size();
  // Exact whatever the order: a float32 is an integer of 24 bits times a power of two, and the
  // exponents of a tensor's values differ by at most 8.
  double sum = 0;
  for (const float x : row) sum += double{x};
  const auto mean = static_cast<float>(sum / static_cast<double>(size));
  std::array<float, LayerNorm::lanes> squares{};
  for (std::size_t i = 0; i < size; ++i) {
    row[i] -= mean;
    float& lane = squares[i % squares.size()];
    lane = std::fma(row[i], row[i], lane);
  }
  for (std::size_t half = squares.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) squares[i] += squares[i + half];
  const float factor = 1 / std::sqrt(squares[0] / static_cast<float>(size) + op.epsilon);
  for (std::size_t i = 0; i < size; ++i) {
    const float normal = row[i] * factor;
    row[i] =
        op.biases.empty() ? normal * op.factors[i] : std::fma(normal, op.factors[i], op.biases[i]);
  }
}

Compute in_integers(const LayerNorm& op, const Ends& ends) {
  const std::size_t size = op.factors.size(), pixels = count(ends.in().shape) / size;
  return [all = integers_of(op, ends.in(), ends.out()), size, pixels](const Inputs& x, Results y,
                                                                      kernels::Workers& workers) {
    workers.for_each(pixels, [&](std::size_t pixel, unsigned) {
      const auto number = [&](std::size_t i) { return x[0][i * pixels + pixel] - all.center; };
      std::int64_t sum = 0, squares = 0;
      for (std::size_t i = 0; i < size; ++i) {
        sum += number(i);
        squares += number(i) * number(i);
      }
      const NormIntegers::Root root = all.root(sum, squares);
      for (std::size_t i = 0; i < size; ++i)
        y[i * pixels + pixel] = static_cast<std::int32_t>(all.result(i, number(i), sum, root));
    });
  };
}

}  // namespace

void check(const LayerNorm& op, NodeCheck& node) {
  const Tensor &in = node.in(), &out = node.out();
  if (op.averages < 0 || op.averages > 1)
    return node.say("has averages {}; it must be 0 or 1", op.averages);
  if (op.integers < 0 || op.integers > 1)
    return node.say("has integers {}; it must be 0 or 1", op.integers);
  if (op.integers == 1 && op.averages == 1)
    return node.say("averages in integers; a mean of all pixels must be computed in float32");
  node.makes(op.averages == 1 ? Shape{in.shape[0]} : in.shape);
  if (in.format.bits > 8)
    return node.say("reads numbers of {} bits; they must have at most 8", in.format.bits);
  const int size = in.shape[0];
  if (size % LayerNorm::lanes != 0)
    return node.say("normalises {} numbers; it must be a multiple of {}", size, LayerNorm::lanes);
  if (op.factors.size() != static_cast<std::size_t>(size) ||
      (!op.biases.empty() && op.biases.size() != op.factors.size()))
    return node.say(
        "has {} factors and {} biases; it must have {} factors, and as many biases or "
        "none",
        op.factors.size(), op.biases.size(), size);
  if (!std::isnormal(op.epsilon) || op.epsilon < 0)
    return node.say("has the epsilon {}; it must be a normal float32 above 0", op.epsilon);
  // All that is computed must stay finite.
  const float most = in.scale * 256, root = std::sqrt(op.epsilon);
  float largest = 0;
  for (const auto* list : {&op.factors, &op.biases})
    for (const float x : *list) largest = std::max(largest, std::abs(x));
  const float result = most / root * largest + largest;
  if (!std::isnormal(in.scale) || !std::isfinite(most * most * static_cast<float>(size)) ||
      !std::isfinite(result) || !std::isfinite(result / out.scale))
    node.say(
        "computes with the scales {} and {}, epsilon {} and factors up to {}: the results must be "
        "finite in float32; give them values that are nearer to 1",
        in.scale, out.scale, op.epsilon, largest);
  if (op.integers == 1)
    if (const std::string why = why_not_integers(op, in, out); !why.empty()) node.say("{}", why);
}

Compute computer(const LayerNorm& op, const Ends& ends) {
  if (op.integers == 1) return in_integers(op, ends);
  const auto quantised = [&out = ends.out()](float x) {
    const arith::Interval range = numbers_of(out);
    const auto lo = static_cast<float>(static_cast<std::int64_t>(range.lo)),
               hi = static_cast<float>(static_cast<std::int64_t>(range.hi));
    return static_cast<std::int32_t>(
        std::clamp(std::nearbyint(x / out.scale) + static_cast<float>(out.zero_point), lo, hi));
  };
  const std::size_t size = op.factors.size(), pixels = count(ends.in().shape) / size;
  const auto normal = [&op, &in = ends.in(), size, pixels](std::span<const std::int32_t> x,
                                                           std::size_t pixel) {
    std::vector<float> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = real_value(in, x[i * pixels + pixel]);
    normalise(op, values);
    return values;
  };
  if (op.averages == 1)
    return [=](const Inputs& x, Results y) {
      std::vector<float> sums(size, 0);
      for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const std::vector<float> values = normal(x[0], pixel);
        for (std::size_t i = 0; i < size; ++i) sums[i] += values[i];
      }
      for (std::size_t i = 0; i < size; ++i) y[i] = quantised(sums[i] / static_cast<float>(pixels));
    };
  return [=](const Inputs& x, Results y, kernels::Workers& workers) {
    workers.for_each(pixels, [&](std::size_t pixel, unsigned) {
      const std::vector<float> values = normal(x[0], pixel);
      for (std::size_t i = 0; i < size; ++i) y[i * pixels + pixel] = quantised(values[i]);
    });
  };
}

}  // namespace kumiki::gen::graph
