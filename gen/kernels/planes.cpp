// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/planes.h"

#include <algorithm>

#include "gen/kernels/instructions.h"

namespace kumiki::gen::kernels {
namespace {

// Distance: of the numbers that are taken.
template <int distance>
KUMIKI_AVX2 void take(const std::int32_t* first, const std::int32_t* second,
                      std::int32_t zero_point, int count, int any_distance, std::int32_t* pairs) {
  const int step = distance == 0 ? any_distance : distance;
  const auto low = [&](const std::int32_t* of, int i) {
    return static_cast<std::uint32_t>(of[i * step] - zero_point) & 0xFFFF;
  };
  if (second)
    for (int i = 0; i < count; ++i)
      pairs[i] = static_cast<std::int32_t>(low(first, i) | low(second, i) << 16);
  else
    for (int i = 0; i < count; ++i) pairs[i] = static_cast<std::int32_t>(low(first, i));
}

int ceil_div(int a, int b) { return a <= 0 ? -(-a / b) : (a - 1) / b + 1; }

}  // namespace

Planes::Planes(const Taps& taps) : taps_(taps) {
  std::array<std::vector<int>, 2> phase, shift;  // of each tap of an axis
  std::array<int, 2> sizes{};
  for (const std::size_t a : {0, 1}) {
    for (int k = 0; k < taps.kernel[a]; ++k) {
      const int at = k * taps.dilation[a], remainder = at % taps.stride[a];
      const auto found = std::ranges::find(phases_[a], remainder);
      phase[a].push_back(static_cast<int>(found - phases_[a].begin()));
      if (found == phases_[a].end()) phases_[a].push_back(remainder);
      shift[a].push_back(at / taps.stride[a]);
    }
    sizes[a] = taps.out[a] + shift[a].back();
  }
  height_ = sizes[0];
  width_ = sizes[1];
  const std::size_t of_phase = std::size_t(height_) * std::size_t(width_);
  size_ = phases_[0].size() * phases_[1].size() * of_phase;
  for (std::size_t r = 0; r < phase[0].size(); ++r)
    for (std::size_t c = 0; c < phase[1].size(); ++c)
      offsets_.push_back((std::size_t(phase[0][r]) * phases_[1].size() + std::size_t(phase[1][c])) *
                             of_phase +
                         std::size_t(shift[0][r]) * std::size_t(width_) + std::size_t(shift[1][c]));
}

std::size_t Planes::results() const {
  return std::size_t(taps_.out[0] - 1) * width() + std::size_t(taps_.out[1]);
}

void Planes::fill(const std::int32_t* first, const std::int32_t* second, std::int32_t zero_point,
                  std::int32_t* plane) const {
  const int stride = taps_.stride[1];
  for (const int row_phase : phases_[0])
    for (const int phase : phases_[1]) {
      const int edge = taps_.before[1] - phase;
      const int begin = std::clamp(ceil_div(edge, stride), 0, width_);
      const int end = std::clamp(ceil_div(taps_.in[1] + edge, stride), begin, width_);
      for (int h = 0; h < height_; ++h, plane += width_) {
        const int row = h * taps_.stride[0] + row_phase - taps_.before[0];
        if (row < 0 || row >= taps_.in[0]) {
          std::fill_n(plane, width_, 0);
          continue;
        }
        std::fill_n(plane, begin, 0);
        std::fill(plane + end, plane + width_, 0);
        if (begin == end) continue;
        const std::ptrdiff_t at = std::ptrdiff_t{row} * taps_.in[1] + begin * stride - edge;
        const auto from = stride == 1 ? take<1> : stride == 2 ? take<2> : take<0>;
        from(first + at, second ? second + at : nullptr, zero_point, end - begin, stride,
             plane + begin);
      }
    }
}

}  // namespace kumiki::gen::kernels
