// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/softmax/meaning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kumiki::gen::graph {
namespace {

float factor_of(const Tensor& out) { return std::floor(1 / out.scale); }

std::size_t size_of(const Softmax& op, const Tensor& t) {
  return static_cast<std::size_t>(t.shape[0] / op.groups);
}

// Calls f(largest number of a group, index of its first number); the next one is `pixels` further.
template <class F>
void for_groups(std::size_t size, std::size_t pixels, std::span<const std::int32_t> x,
                kernels::Workers& workers, F&& f) {
  workers.for_each(x.size() / size, [&](std::size_t part, unsigned) {
    const std::size_t first = part / pixels * size * pixels + part % pixels;
    const auto number = [&](std::size_t i) { return x[first + i * pixels]; };
    std::int32_t largest = number(0);
    for (std::size_t i = 1; i < size; ++i) largest = std::max(largest, number(i));
    f(largest, first);
  });
}

Compute in_integers(const Softmax& op, const Ends& ends) {
  const std::size_t size = size_of(op, ends.in()),
                    pixels = count(ends.in().shape) / size / std::size_t(op.groups);
  return [all = integers_of(ends.in(), ends.out()), size, pixels](const Inputs& in, Results y,
                                                                  kernels::Workers& workers) {
    const auto x = in[0];
    for_groups(size, pixels, x, workers, [&](std::int32_t largest, std::size_t first) {
      const auto entry = [&](std::size_t i) {
        return std::int64_t{all.entries[static_cast<std::size_t>(largest - x[first + i * pixels])]};
      };
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum += entry(i);
      const std::int64_t reciprocal = all.reciprocal(sum);
      for (std::size_t i = 0; i < size; ++i)
        y[first + i * pixels] = static_cast<std::int32_t>(all.result(entry(i), reciprocal));
    });
  };
}

}  // namespace

// The largest entries are so large that their sum is still a float32.
std::array<float, 256> exponentials_of(const Tensor& in, std::size_t of) {
  constexpr float most = std::numeric_limits<float>::max();
  // onnxruntime takes this logarithm in float32.
  const auto logarithm = static_cast<float>(std::log(double{most / static_cast<float>(of)}));
  const double scale = in.scale, shift = std::max(0.0, double{logarithm} - 5) / scale;
  std::array<float, 256> all{};
  for (int i = 0; i < 256; ++i)
    all[static_cast<std::size_t>(i)] = static_cast<float>(std::exp((i - 255 + shift) * scale));
  return all;
}

void check(const Softmax& op, NodeCheck& node) {
  const Tensor &in = node.in(), &out = node.out();
  node.makes(in.shape);
  if (op.groups < 1 || in.shape[0] % op.groups != 0)
    return node.say("has {} groups; they must divide its {} channels", op.groups, in.shape[0]);
  if (in.format.bits != 8 || out.format != in.format)
    return node.say("makes numbers of {} from {}; both must be s8 or both u8",
                    to_string(out.format), to_string(in.format));
  if (op.integers < 0 || op.integers > 1)
    return node.say("has integers {}; it must be 0 or 1", op.integers);
  const float factor = factor_of(out);
  if (op.integers == 1 && !(factor >= 1 && factor <= SoftmaxIntegers::most_factor))
    return node.say("makes integers of the scale {}; it must be from 1/{} to 1", out.scale,
                    SoftmaxIntegers::most_factor);
  if (!(factor <= 0x1p24F))
    node.say("has the scale {} of {}; it must be at least 2^-24", out.scale, out.name);
}

Compute computer(const Softmax& op, const Ends& ends) {
  if (op.integers == 1) return in_integers(op, ends);
  const Tensor &in = ends.in(), &out = ends.out();
  const std::size_t size = size_of(op, in),
                    pixels = count(in.shape) / size / std::size_t(op.groups);
  return [entries = exponentials_of(in, size), size, pixels, factor = factor_of(out),
          zero = out.zero_point, most = static_cast<std::int32_t>(out.format.range().hi)](
             const Inputs& x, Results y, kernels::Workers& workers) {
    for_groups(size, pixels, x[0], workers, [&](std::int32_t largest, std::size_t first) {
      const auto entry = [&](std::size_t i) {
        return entries[static_cast<std::size_t>(255 + x[0][first + i * pixels] - largest)];
      };
      float sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum += entry(i);
      for (std::size_t i = 0; i < size; ++i) {
        const double quotient = std::nearbyint(double{entry(i)} * factor / sum);
        y[first + i * pixels] = std::min(static_cast<std::int32_t>(quotient) + zero, most);
      }
    });
  };
}

}  // namespace kumiki::gen::graph
