// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/planes.h"

#include <algorithm>

#include "gen/kernels/instructions.h"

namespace kumiki::gen::kernels {
namespace {

// Distance: of the numbers that are taken, from place `at` of each channel on.
template <std::size_t channels, unsigned bits, int distance>
KUMIKI_AVX2 void take(const std::array<const std::int32_t*, 4>& from, std::ptrdiff_t at,
                      std::int32_t less, int count, int any_distance, std::int32_t* words) {
  const int step = distance == 0 ? any_distance : distance;
  std::array<const std::int32_t*, channels> first{};
  for (std::size_t c = 0; c < channels; ++c) first[c] = from[c] + at;
  for (int i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    for (std::size_t c = 0; c < channels; ++c)
      word |= (static_cast<std::uint32_t>(first[c][i * step] - less) & ((1U << bits) - 1))
              << bits * c;
    words[i] = static_cast<std::int32_t>(word);
  }
}

template <std::size_t channels, unsigned bits>
auto taking(int stride) {
  return stride == 1   ? take<channels, bits, 1>
         : stride == 2 ? take<channels, bits, 2>
                       : take<channels, bits, 0>;
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

void Planes::fill(const std::array<const std::int32_t*, 4>& channels, const Words& words,
                  std::int32_t* plane) const {
  const int stride = taps_.stride[1];
  const auto from = words.channels == 1
                        ? words.are_bytes ? taking<1, 8>(stride) : taking<1, 16>(stride)
                    : words.are_bytes ? taking<4, 8>(stride)
                                      : taking<2, 16>(stride);
  for (const int row_phase : phases_[0])
    for (const int phase : phases_[1]) {
      const int edge = taps_.before[1] - phase;
      const int begin = std::clamp(ceil_div(edge, stride), 0, width_);
      const int end = std::clamp(ceil_div(taps_.in[1] + edge, stride), begin, width_);
      for (int h = 0; h < height_; ++h, plane += width_) {
        const int row = h * taps_.stride[0] + row_phase - taps_.before[0];
        if (row < 0 || row >= taps_.in[0]) {
          std::fill_n(plane, width_, words.padding);
          continue;
        }
        std::fill_n(plane, begin, words.padding);
        std::fill(plane + end, plane + width_, words.padding);
        if (begin == end) continue;
        const std::ptrdiff_t at = std::ptrdiff_t{row} * taps_.in[1] + begin * stride - edge;
        from(channels, at, words.less, end - begin, stride, plane + begin);
      }
    }
}

}  // namespace kumiki::gen::kernels
