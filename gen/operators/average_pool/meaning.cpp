// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

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
  float largest = in.scale * 0x1p16F;
  if (!p.reals.empty()) {
    if (in.format.bits > 8 || p.reals.size() != std::size_t{1} << in.format.bits)
      return node.say(
          "has {} reals for numbers of {} bits; it must have one for each number of at "
          "most 8 bits",
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
  return [&op, ends](const std::vector<const Numbers*>& inputs, Numbers& y) {
    const Tensor &in = ends.in(), &out = ends.out();
    const Numbers& x = *inputs[0];
    const Window& w = op.window;
    const auto real = [&](std::int32_t n) {
      return op.reals.empty() ? real_value(in, n)
                              : op.reals[static_cast<std::size_t>(n - lowest(in))];
    };
    std::size_t at = 0;
    for (int i = 0; i < out.shape[0]; ++i)
      for (int row = 0; row < out.shape[1]; ++row)
        for (int column = 0; column < out.shape[2]; ++column) {
          float sum = 0;
          for_taps(w, in.shape, row, column, [&](int r, int k) {
            sum += real(x[static_cast<std::size_t>((i * in.shape[1] + r) * in.shape[2] + k)]);
          });
          y[at++] = op.reals.empty()
                        ? pooled(sum, w.taps(), out)
                        : clamped(std::nearbyint(sum / static_cast<float>(w.taps()) / out.scale) +
                                      static_cast<float>(out.zero_point),
                                  out);
        }
  };
}

}  // namespace kumiki::gen::graph
