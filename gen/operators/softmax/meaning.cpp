// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/softmax/meaning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kumiki::gen::graph {
namespace {

float factor_of(const Tensor& out) { return std::floor(1 / out.scale); }

std::size_t size_of(const Tensor& t) { return static_cast<std::size_t>(t.shape.back()); }

}  // namespace

// The largest entries are so large that their sum is still a float32.
std::array<float, 256> exponentials_of(const Tensor& in, std::size_t of) {
  constexpr float most = std::numeric_limits<float>::max();
  const double scale = in.scale, room = std::log(double{most / static_cast<float>(of)}) - 5,
               shift = std::max(0.0, room) / scale;
  std::array<float, 256> all{};
  for (int i = 0; i < 256; ++i)
    all[static_cast<std::size_t>(i)] = static_cast<float>(std::exp((i - 255 + shift) * scale));
  return all;
}

void check(const Softmax&, NodeCheck& node) {
  const Tensor &in = node.in(), &out = node.out();
  node.makes(in.shape);
  if (in.format.bits != 8 || out.format != in.format)
    return node.say("makes numbers of {} from {}; both must be s8 or both u8",
                    to_string(out.format), to_string(in.format));
  const float most = exponentials_of(in, size_of(in))[255], factor = factor_of(out);
  if (!std::isfinite(most) || !std::isnormal(most) || !std::isfinite(most * factor))
    node.say(
        "has the scales {} and {}: what it computes is no finite float32; give {} a scale that is "
        "nearer to 1 and {} one of at least 1/128",
        in.scale, out.scale, in.name, out.name);
}

Compute computer(const Softmax&, const Ends& ends) {
  const Tensor &in = ends.in(), &out = ends.out();
  return [entries = exponentials_of(in, size_of(in)), size = size_of(in), factor = factor_of(out),
          zero = out.zero_point, most = static_cast<std::int32_t>(out.format.range().hi)](
             const std::vector<const Numbers*>& x, Numbers& y, kernels::Workers& workers) {
    workers.for_each(y.size() / size, [&](std::size_t row, unsigned) {
      const std::int32_t* in_row = x[0]->data() + row * size;
      const std::int32_t largest = *std::max_element(in_row, in_row + size);
      const auto entry = [&](std::size_t i) {
        return entries[static_cast<std::size_t>(255 + in_row[i] - largest)];
      };
      float sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum += entry(i);
      for (std::size_t i = 0; i < size; ++i) {
        const float quotient = std::nearbyint(entry(i) * factor / sum);
        y[row * size + i] = std::min(static_cast<std::int32_t>(quotient) + zero, most);
      }
    });
  };
}

}  // namespace kumiki::gen::graph
