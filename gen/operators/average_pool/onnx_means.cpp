// SPDX-License-Identifier: Apache-2.0
// Means of windows. onnxruntime's QLinearAveragePool adds real numbers in float32, so a result may
// depend on the numbers of a sum, not only on the sum. Float32 addition is monotone. So the least
// and the largest float32 that any order of numbers reaches for a sum of integers follow from those
// before the last number. If both give one result for every sum, the mean is provably a requantised
// sum of integers; otherwise it is an AveragePool.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gen/graph/interpret.h"
#include "gen/graph/quantise.h"
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {
namespace {

// Following larger windows takes too long.
constexpr int most_taps = 64;

// Indexed by the sum of integers minus their zero points, from the lowest on.
struct Reached {
  std::vector<float> least, most;
};

Reached reached_by(const graph::Tensor& in, int taps) {
  const auto lo = static_cast<std::int32_t>(in.format.range().lo);
  const auto numbers = static_cast<std::size_t>(1) << in.format.bits;
  std::vector<float> real;
  for (std::size_t i = 0; i < numbers; ++i)
    real.push_back(graph::real_value(in, lo + static_cast<std::int64_t>(i)));
  constexpr float unreached = std::numeric_limits<float>::infinity();
  Reached all{{0}, {0}};
  for (int tap = 0; tap < taps; ++tap) {
    const std::size_t sums = all.least.size() + numbers - 1;
    Reached next{std::vector<float>(sums, unreached), std::vector<float>(sums, -unreached)};
    for (std::size_t s = 0; s < all.least.size(); ++s)
      for (std::size_t i = 0; i < numbers; ++i) {
        next.least[s + i] = std::min(next.least[s + i], all.least[s] + real[i]);
        next.most[s + i] = std::max(next.most[s + i], all.most[s] + real[i]);
      }
    all = std::move(next);
  }
  return all;
}

}  // namespace

// The result of each sum, from the lowest on; empty: the sum alone does not determine it.
static std::optional<std::vector<std::int32_t>> results_of_sums(const graph::Tensor& in, int taps,
                                                                const graph::Tensor& out) {
  if (taps > most_taps || in.format.bits > 8) return std::nullopt;
  const Reached reached = reached_by(in, taps);
  std::vector<std::int32_t> all;
  for (std::size_t s = 0; s < reached.least.size(); ++s) {
    all.push_back(graph::pooled(reached.least[s], taps, out));
    if (graph::pooled(reached.most[s], taps, out) != all.back()) return std::nullopt;
  }
  return all;
}

std::optional<graph::TensorId> Walk::averaged(const SumOf& sum, const Pending& p,
                                              const Quantiser& q, const std::string& name) {
  const graph::Tensor in = tensor(sum.in), out = alike(q);
  const int taps = sum.window.kernel[0] * sum.window.kernel[1];
  const auto results = results_of_sums(in, taps, out);
  if (!results) {
    if (averages_ == Averages::sums) return std::nullopt;
    const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
    return add_node(p.node, graph::AveragePool{sum.window}, {sum.in}, to);
  }
  const arith::FloatRule rule{.scale = in.scale / (q.scale * static_cast<float>(taps)),
                              .zero_point = q.zero_point,
                              .range = q.format.range()};
  const std::int64_t lowest =
      taps * (static_cast<std::int64_t>(in.format.range().lo) - in.zero_point);
  bool same = std::isnormal(rule.scale);
  for (std::size_t s = 0; same && s < results->size(); ++s)
    same = (*results)[s] ==
           requantised(rule, static_cast<std::int32_t>(lowest + static_cast<std::int64_t>(s)));
  if (same) return sum_node(sum, p, {rule.scale}, q, name);
  const graph::TensorId sums = sum_node(sum, p, {1}, {{32, true}, 0, 1}, p.node + "/sums");
  const arith::Interval made = q.format.range();
  graph::Thresholds steps{.lowest = static_cast<int>(made.lo),
                          .levels = static_cast<int>(made.span()),
                          .begins = {},
                          .falling = {}};
  for (auto level = static_cast<std::int32_t>(made.lo) + 1; level <= made.hi; ++level)
    steps.begins.push_back(static_cast<std::int32_t>(
        lowest + (std::ranges::lower_bound(*results, level) - results->begin())));
  const graph::TensorId to = add_tensor(name, tensor(sums).shape, q);
  return add_node(p.node + "/steps", std::move(steps), {sums}, to);
}

}  // namespace kumiki::gen::onnx
