// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/max_pool.h"

#include <algorithm>
#include <limits>

namespace kumiki::gen::kernels {
namespace {

constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();

// Of a column: the most of the rows under the windows of a row of results.
void most_of_rows(const Taps& t, const std::int32_t* map, int row, std::int32_t* columns) {
  const int width = t.in[1];
  std::fill_n(columns, width, least);
  for (int k = 0; k < t.kernel[0]; ++k) {
    const int r = row * t.stride[0] - t.before[0] + k * t.dilation[0];
    if (r < 0 || r >= t.in[0]) continue;
    const std::int32_t* from = map + std::size_t(r) * std::size_t(width);
    for (int c = 0; c < width; ++c) columns[c] = std::max(columns[c], from[c]);
  }
}

void most_of_columns(const Taps& t, const std::int32_t* columns, std::int32_t* results) {
  const int stride = t.stride[1];
  std::fill_n(results, t.out[1], least);
  for (int k = 0; k < t.kernel[1]; ++k) {
    const int left = k * t.dilation[1] - t.before[1];
    int begin = 0, end = t.out[1];
    while (begin < end && begin * stride + left < 0) ++begin;
    while (begin < end && (end - 1) * stride + left >= t.in[1]) --end;
    for (int c = begin; c < end; ++c) results[c] = std::max(results[c], columns[c * stride + left]);
  }
}

}  // namespace

void max_pool(const Taps& taps, std::size_t channels, const std::int32_t* map,
              std::int32_t* results, Workers& workers) {
  const auto width = std::size_t(taps.in[1]), row_size = std::size_t(taps.out[1]);
  const std::size_t map_size = std::size_t(taps.in[0]) * width;
  std::int32_t* memory = workers.memory(workers.count() * width);
  workers.for_each(channels, [&](std::size_t channel, unsigned worker) {
    std::int32_t* columns = memory + worker * width;
    std::int32_t* to = results + channel * std::size_t(taps.out[0]) * row_size;
    for (int row = 0; row < taps.out[0]; ++row, to += row_size) {
      most_of_rows(taps, map + channel * map_size, row, columns);
      most_of_columns(taps, columns, to);
    }
  });
}

}  // namespace kumiki::gen::kernels
