// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv_transpose/meaning.h"

#include <algorithm>
#include <cmath>

#include "gen/kernels/fused.h"

namespace kumiki::gen::graph {
namespace {

// How many channels onnxruntime's matrix product adds before it adds the sum to that of the
// channels before.
std::size_t block_of(std::size_t channels, std::size_t pixels) {
  std::size_t block = 128;
  for (std::size_t wide = 128; pixels < channels && wide > 16 && wide / 2 >= pixels; wide /= 2)
    block *= 2;
  return block;
}

std::int32_t number_of(float sum, const Tensor& out) {
  const arith::Interval range = numbers_of(out);
  return static_cast<std::int32_t>(
      std::clamp(std::nearbyint(sum / out.scale) + static_cast<float>(out.zero_point),
                 static_cast<float>(static_cast<std::int64_t>(range.lo)),
                 static_cast<float>(static_cast<std::int64_t>(range.hi))));
}

bool has_legal_window(const Window& w) {
  for (const std::size_t a : {0, 1})
    for (const int size : {w.kernel[a], w.stride[a], w.dilation[a], w.before[a] + 1})
      if (size < 1 || size > 1 << 12) return false;
  return true;
}

}  // namespace

void check(const ConvTranspose& op, NodeCheck& node) {
  const Tensor &in = node.in(), &out = node.out();
  if (!node.is_map(in) || !node.is_map(out)) return;
  if (!has_legal_window(op.window))
    return node.say(
        "has a window with a kernel, stride, dilation or padding that is not possible; they must "
        "be 1 to 4096, and padding 0 to 4095");
  if (in.format.bits > 16 || out.format.bits > 16)
    return node.say("makes {} bits of {}; numbers must have at most 16", out.format.bits,
                    in.format.bits);
  if (op.groups < 1 || in.shape[0] % op.groups != 0 || out.shape[0] % op.groups != 0)
    return node.say("has {} groups for {} and {} channels; they must divide both", op.groups,
                    in.shape[0], out.shape[0]);
  const std::size_t of_input = static_cast<std::size_t>(out.shape[0] / op.groups) *
                               static_cast<std::size_t>(op.window.taps());
  const std::size_t wanted = of_input * static_cast<std::size_t>(in.shape[0]);
  if (op.weights.size() != wanted || op.bias.size() != static_cast<std::size_t>(out.shape[0]))
    return node.say("has {} weights and {} numbers of bias; it must have {} and {}",
                    op.weights.size(), op.bias.size(), wanted, out.shape[0]);
  // No sum may leave float32.
  double most = 0, bias = 0;
  for (const float w : op.weights) most += std::abs(static_cast<double>(w));
  for (const float b : op.bias) bias = std::max(bias, std::abs(static_cast<double>(b)));
  most = most * in.scale * 0x1p16 + bias;
  if (!(most < 0x1p127) || !(most / out.scale < 0x1p127))
    node.say("has sums of up to {:.3g} for numbers of {}; they must be finite in float32", most,
             out.scale);
}

Compute computer(const ConvTranspose& op, const Ends& ends) {
  return [&op, ends](const Inputs& inputs, Results y) {
    const Tensor &in = ends.in(), &out = ends.out();
    const Window& w = op.window;
    const auto pixels = static_cast<std::size_t>(in.shape[1] * in.shape[2]);
    const auto channels = static_cast<std::size_t>(in.shape[0] / op.groups),
               outs = static_cast<std::size_t>(out.shape[0] / op.groups),
               taps = static_cast<std::size_t>(w.taps());
    std::vector<float> x, sums(pixels);
    for (const std::int32_t n : inputs[0]) x.push_back(real_value(in, n));
    const auto places = static_cast<std::size_t>(out.shape[1] * out.shape[2]);
    std::vector<float> map(places);
    for (std::size_t o = 0; o < op.bias.size(); ++o) {
      const std::size_t first = o / outs * channels;  // of the input's channels
      std::ranges::fill(map, 0.0F);
      for (std::size_t tap = 0; tap < taps; ++tap) {
        kernels::fused_sums({.weights = &op.weights[(first * outs + o % outs) * taps + tap],
                             .step = outs * taps,
                             .channels = channels,
                             .block = block_of(channels, pixels)},
                            &x[first * pixels], sums);
        const int down = static_cast<int>(tap) / w.kernel[1] * w.dilation[0] - w.before[0],
                  right = static_cast<int>(tap) % w.kernel[1] * w.dilation[1] - w.before[1];
        for (int i = 0; i < in.shape[1]; ++i)
          for (int k = 0; k < in.shape[2]; ++k) {
            const int row = i * w.stride[0] + down, column = k * w.stride[1] + right;
            if (row >= 0 && row < out.shape[1] && column >= 0 && column < out.shape[2])
              map[static_cast<std::size_t>(row * out.shape[2] + column)] +=
                  sums[static_cast<std::size_t>(i * in.shape[2] + k)];
          }
      }
      for (std::size_t p = 0; p < places; ++p)
        y[o * places + p] = number_of(map[p] + op.bias[o], out);
    }
  };
}

}  // namespace kumiki::gen::graph
