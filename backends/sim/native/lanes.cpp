// SPDX-License-Identifier: Apache-2.0
// Transposes by swapping blocks, half the size in each stage. Narrow signals skip the stages in
// which one half is known to be empty: 8 bits cost a fifth of 64.
#include "backends/sim/native/lanes.h"

#include <algorithm>
#include <array>
#include <bit>

namespace kumiki::backends {
namespace {

using Square = std::array<std::uint64_t, lane_count>;

// Columns c with bit `j` of c clear.
constexpr std::uint64_t low_columns(unsigned j) {
  std::uint64_t mask = 0;
  for (unsigned c = 0; c < 64; ++c) mask |= std::uint64_t{(c & j) == 0} << c;
  return mask;
}

// Swaps element (k, c + j) with (k + j, c), in blocks of 2j rows below `rows`.
template <unsigned j>
void swap_blocks(Square& m, unsigned rows) {
  for (unsigned block = 0; block < rows; block += 2 * j)
    for (unsigned k = block; k < block + j; ++k) {
      auto t = ((m[k] >> j) ^ m[k + j]) & low_columns(j);
      m[k] ^= t << j;
      m[k + j] ^= t;
    }
}

template <unsigned j>
void slice_stage(Square& m, unsigned width) {
  if (width > j)
    swap_blocks<j>(m, std::min(64u, std::bit_ceil(width)));
  else  // columns from j on are empty, and afterwards so is row k + j
    for (unsigned k = 0; k < j; ++k) m[k] |= m[k + j] << j;
}

template <unsigned j>
void unslice_stage(Square& m, unsigned width) {
  if (width > j)
    swap_blocks<j>(m, std::min(64u, std::bit_ceil(width)));
  else
    for (unsigned k = 0; k < j; ++k) {
      m[k + j] = (m[k] >> j) & low_columns(j);
      m[k] &= low_columns(j);
    }
}

}  // namespace

void slice(std::span<const std::uint64_t, lane_count> values, std::span<ir::Lanes> bits) {
  auto width = static_cast<unsigned>(bits.size());
  auto mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  Square m;
  for (unsigned lane = 0; lane < lane_count; ++lane) m[lane] = values[lane] & mask;
  slice_stage<32>(m, width);
  slice_stage<16>(m, width);
  slice_stage<8>(m, width);
  slice_stage<4>(m, width);
  slice_stage<2>(m, width);
  slice_stage<1>(m, width);
  std::copy_n(m.begin(), width, bits.begin());
}

void unslice(std::span<const ir::Lanes> bits, std::span<std::uint64_t, lane_count> values) {
  auto width = static_cast<unsigned>(bits.size());
  Square m;
  std::copy_n(bits.begin(), width, m.begin());
  std::fill(m.begin() + width, m.begin() + std::min(64u, std::bit_ceil(width)), 0);
  unslice_stage<1>(m, width);
  unslice_stage<2>(m, width);
  unslice_stage<4>(m, width);
  unslice_stage<8>(m, width);
  unslice_stage<16>(m, width);
  unslice_stage<32>(m, width);
  std::copy(m.begin(), m.end(), values.begin());
}

}  // namespace kumiki::backends
