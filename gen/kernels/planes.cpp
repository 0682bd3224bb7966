// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/planes.h"

#if defined(__x86_64__)

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "gen/kernels/instructions.h"
#include "gen/kernels/tile.h"

namespace kumiki::gen::kernels {
namespace {

// How many numbers of each channel, and where the first of them and the next one are.
struct Run {
  std::ptrdiff_t at;
  int count, distance;
};

// Distance 0: any.
template <std::size_t channels, unsigned bits, int distance, class Number>
[[gnu::always_inline]] inline void take(const std::array<const Number*, 4>& from, Run run,
                                        std::int32_t less, std::int32_t* words) {
  const int step = distance == 0 ? run.distance : distance;
  std::array<const Number*, channels> first{};
  for (std::size_t c = 0; c < channels; ++c) first[c] = from[c] + run.at;
  for (int i = 0; i < run.count; ++i) {
    std::uint32_t word = 0;
    for (std::size_t c = 0; c < channels; ++c)
      word |= (static_cast<std::uint32_t>(first[c][i * step] - less) & ((1U << bits) - 1))
              << bits * c;
    words[i] = static_cast<std::int32_t>(word);
  }
}
template <std::size_t channels, int distance, class Number>
KUMIKI_AVX2 void take_pairs(const std::array<const Number*, 4>& from, Run run, std::int32_t less,
                            std::int32_t* words) {
  take<channels, 16, distance>(from, run, less, words);
}
template <std::size_t channels, int distance, class Number>
KUMIKI_VNNI void take_bytes(const std::array<const Number*, 4>& from, Run run, std::int32_t less,
                            std::int32_t* words) {
  take<channels, 8, distance>(from, run, less, words);
}

template <class Number>
auto taking(const Words& words, int stride) {
  using Of = decltype(&take_pairs<1, 1, Number>);
  constexpr std::array<Of, 3> one{take_pairs<1, 0, Number>, take_pairs<1, 1, Number>,
                                  take_pairs<1, 2, Number>},
      pairs{take_pairs<2, 0, Number>, take_pairs<2, 1, Number>, take_pairs<2, 2, Number>},
      byte{take_bytes<1, 0, Number>, take_bytes<1, 1, Number>, take_bytes<1, 2, Number>},
      quads{take_bytes<4, 0, Number>, take_bytes<4, 1, Number>, take_bytes<4, 2, Number>};
  const bool is_single = words.channels == 1;
  const auto& any = words.are_bytes ? is_single ? byte : quads : is_single ? one : pairs;
  return any[stride > 2 ? 0 : static_cast<std::size_t>(stride)];
}

KUMIKI_VNNI void copy_bytes(const std::int32_t* from, std::size_t count, std::int32_t less,
                            std::uint8_t* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(from[i] - less);
}
void copy_bytes(const std::uint8_t* from, std::size_t count, std::int32_t, std::uint8_t* to) {
  std::copy_n(from, count, to);
}

int ceil_div(int a, int b) { return a <= 0 ? -(-a / b) : (a - 1) / b + 1; }

}  // namespace

Planes::Planes(const Taps& taps, const Words& words) : taps_(taps), words_(words) {
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
  if (words.in_lines) {
    // A phase of columns is the first of four.
    phases_[1].clear();
    for (int column = 0; column < taps.kernel[1]; column += 4) phases_[1].push_back(column);
    phase[1].resize(phases_[1].size());
    std::iota(phase[1].begin(), phase[1].end(), 0);
    shift[1].assign(phase[1].size(), 0);
    sizes[1] = taps.out[1];
  }
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

template <class Number>
void Planes::fill_lines(const Number* map, std::int32_t* plane) const {
  const int stride = taps_.stride[1];
  // A line of the map with its padding, as far as take_windows() reads it.
  std::vector<std::uint8_t> line(std::size_t(stride * (width_ - 1) + phases_[1].back()) + 64,
                                 static_cast<std::uint8_t>(words_.padding));
  const std::size_t first = std::min(std::size_t(taps_.before[1]), line.size()),
                    read = std::min(line.size() - first, std::size_t(taps_.in[1]));
  const std::size_t of_phase = std::size_t(height_) * std::size_t(width_);
  for (const int row_phase : phases_[0]) {
    for (int h = 0; h < height_; ++h) {
      const int row = h * taps_.stride[0] + row_phase - taps_.before[0];
      const bool is_in = row >= 0 && row < taps_.in[0];
      if (is_in)
        copy_bytes(map + std::ptrdiff_t{row} * taps_.in[1], read, words_.less, line.data() + first);
      for (std::size_t g = 0; g < phases_[1].size(); ++g) {
        std::int32_t* to = plane + g * of_phase + std::size_t(h) * std::size_t(width_);
        if (is_in)
          take_windows(line.data() + phases_[1][g], stride, std::size_t(width_), to);
        else
          std::fill_n(to, width_, words_.padding);
      }
    }
    plane += phases_[1].size() * of_phase;
  }
}

template <class Number>
void Planes::fill(const std::array<const Number*, 4>& channels, std::int32_t* plane) const {
  if (words_.in_lines) return fill_lines(channels[0], plane);
  const int stride = taps_.stride[1];
  const auto from = taking<Number>(words_, stride);
  const std::int32_t less = std::is_same_v<Number, std::uint8_t> ? 0 : words_.less;
  for (const int row_phase : phases_[0])
    for (const int phase : phases_[1]) {
      const int edge = taps_.before[1] - phase;
      const int begin = std::clamp(ceil_div(edge, stride), 0, width_);
      const int end = std::clamp(ceil_div(taps_.in[1] + edge, stride), begin, width_);
      for (int h = 0; h < height_; ++h, plane += width_) {
        const int row = h * taps_.stride[0] + row_phase - taps_.before[0];
        if (row < 0 || row >= taps_.in[0]) {
          std::fill_n(plane, width_, words_.padding);
          continue;
        }
        std::fill_n(plane, begin, words_.padding);
        std::fill(plane + end, plane + width_, words_.padding);
        if (begin == end) continue;
        const Run run{.at = std::ptrdiff_t{row} * taps_.in[1] + begin * stride - edge,
                      .count = end - begin,
                      .distance = stride};
        from(channels, run, less, plane + begin);
      }
    }
}

template void Planes::fill(const std::array<const std::int32_t*, 4>&, std::int32_t*) const;
template void Planes::fill(const std::array<const std::uint8_t*, 4>&, std::int32_t*) const;

}  // namespace kumiki::gen::kernels

#endif
