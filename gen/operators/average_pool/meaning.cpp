// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gen/operators/average_pool/meaning.h"

namespace kumiki::gen::graph {
namespace {

std::int32_t clamped(float at, const Tensor& out) {
  const arith::Interval range = numbers_of(out);
  return static_cast<std::int32_t>(
      std::clamp(static_cast<double>(at), static_cast<double>(static_cast<std::int64_t>(range.lo)),
                 static_cast<double>(static_cast<std::int64_t>(range.hi))));
}

}  // namespace

// The zero point is added before the quotient is rounded.
std::int32_t pooled(float sum, int taps, const Tensor& out) {
  const float mean = sum / static_cast<float>(taps);
  return clamped(std::nearbyint(mean / out.scale + static_cast<float>(out.zero_point)), out);
}

namespace {

// Eight sums of every eighth number; if four more follow, they join the first four. `first`: the
// place of the first number in memory.
float sum_of_eights(const std::vector<float>& window, std::size_t first) {
  const std::size_t count = window.size(), front = std::min((4 - first % 4) % 4, count),
                    fours = (count - front) / 4;
  if (fours == 0) return std::accumulate(window.begin() + 1, window.end(), window[0]);
  float lanes[8] = {};
  for (std::size_t i = 0; i < fours / 2 * 8; ++i) {
    const float x = window[front + i];
    lanes[i % 8] = i < 8 ? x : lanes[i % 8] + x;
  }
  for (std::size_t lane = 0; lane < 4; ++lane) {
    if (fours > 1) lanes[lane] += lanes[lane + 4];
    if (fours % 2 != 0) {
      const float x = window[front + (fours - 1) * 4 + lane];
      lanes[lane] = fours == 1 ? x : lanes[lane] + x;
    }
  }
  float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (std::size_t i = 0; i < front; ++i) sum += window[i];
  for (std::size_t i = front + fours * 4; i < count; ++i) sum += window[i];
  return sum;
}

// `window` has the numbers of a window, row by row.
float sum_in_order(const std::vector<float>& window, std::size_t columns, int order) {
  float sum = 0;
  std::size_t at = 0;
  if (order == AveragePool::by_columns) {
    for (std::size_t column = 0; column < columns; ++column) {
      float of_column = window[column];
      for (std::size_t i = column + columns; i < window.size(); i += columns)
        of_column += window[i];
      sum += of_column;
    }
    return sum;
  }
  if (order == AveragePool::by_fours) {
    float lanes[4] = {};
    for (; at + 4 <= window.size(); at += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += window[at + lane];
    sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  }
  for (; at < window.size(); ++at) sum += window[at];
  return sum;
}

Compute mean_of_reals(const AveragePool& op, const Ends& ends) {
  return [&op, ends](const Inputs& inputs, Results y) {
    const Tensor &in = ends.in(), &out = ends.out();
    const auto x = inputs[0];
    const std::size_t of_one = std::size_t{1} << in.format.bits;
    std::vector<float> window;
    std::size_t at = 0;
    for (int i = 0; i < out.shape[0]; ++i) {
      const float* reals = &op.reals[op.reals.size() == of_one ? 0 : std::size_t(i) * of_one];
      for (int row = 0; row < out.shape[1]; ++row)
        for (int column = 0; column < out.shape[2]; ++column) {
          window.clear();
          for_taps(op.window, in.shape, row, column, [&](int r, int k) {
            const auto number = x[std::size_t((i * in.shape[1] + r) * in.shape[2] + k)];
            window.push_back(reals[number - lowest(in)]);
          });
          const float sum = op.order == AveragePool::by_eights
                                ? sum_of_eights(window, at * window.size())
                                : sum_in_order(window, std::size_t(op.window.kernel[1]), op.order);
          const float mean = sum / static_cast<float>(op.window.taps());
          y[at++] =
              clamped(std::nearbyint(mean / out.scale) + static_cast<float>(out.zero_point), out);
        }
    }
  };
}

}  // namespace

void check(const AveragePool& p, NodeCheck& node) {
  const Tensor &in = node.in(), &out = node.out();
  if (!node.is_map(in)) return;
  Shape shape = in.shape;
  if (!node.fits(p.window, shape)) return;
  if (in.format.bits > 16)
    return node.say("averages numbers of {} bits; they must have at most 16", in.format.bits);
  if (std::int64_t{p.window.kernel[0]} * p.window.kernel[1] > 1 << 24)
    return node.say("averages windows of {} x {} numbers; it must be at most 16777216",
                    p.window.kernel[0], p.window.kernel[1]);
  if (p.order < AveragePool::by_rows || p.order > AveragePool::by_eights ||
      (p.reals.empty() && p.order != AveragePool::by_rows))
    return node.say("adds in the order {}; it must be 0, or 0 to 3 with reals", p.order);
  float largest = in.scale * 0x1p16F;
  if (!p.reals.empty()) {
    const std::size_t of_one = std::size_t{1} << in.format.bits;
    if (in.format.bits > 8 || (p.reals.size() != of_one &&
                               p.reals.size() != of_one * static_cast<std::size_t>(in.shape[0])))
      return node.say(
          "has {} reals for numbers of {} bits; it must have one for each number of at "
          "most 8 bits, or so many for each channel",
          p.reals.size(), in.format.bits);
    if (p.window.before != std::array{0, 0} || p.window.after != std::array{0, 0})
      return node.say("pads a map of reals; its window must have no padding");
    largest = 0;
    for (const float real : p.reals) largest = std::max(largest, std::abs(real));
  }
  // All sums and quotients in float32 must stay finite.
  const float most =
      largest * static_cast<float>(p.window.kernel[0]) * static_cast<float>(p.window.kernel[1]);
  const float ratio = in.scale / out.scale;
  if (!std::isfinite(most) || !std::isnormal(ratio) || !std::isfinite(most / out.scale))
    return node.say(
        "averages with the scales {} and {}: {} over {} must be a normal float32, and sums of "
        "the window must be finite; give them scales that are nearer to each other and to 1",
        in.scale, out.scale, in.name, out.name);
  node.makes(shape);
}

Compute computer(const AveragePool& op, const Ends& ends) {
  if (!op.reals.empty()) return mean_of_reals(op, ends);
  return [&op, ends](const Inputs& inputs, Results y) {
    const Tensor &in = ends.in(), &out = ends.out();
    const auto x = inputs[0];
    const Window& w = op.window;
    std::size_t at = 0;
    for (int i = 0; i < out.shape[0]; ++i)
      for (int row = 0; row < out.shape[1]; ++row)
        for (int column = 0; column < out.shape[2]; ++column) {
          float sum = 0;
          for_taps(w, in.shape, row, column, [&](int r, int k) {
            sum += real_value(in,
                              x[static_cast<std::size_t>((i * in.shape[1] + r) * in.shape[2] + k)]);
          });
          y[at++] = pooled(sum, w.taps(), out);
        }
  };
}

}  // namespace kumiki::gen::graph
