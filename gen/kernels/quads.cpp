// SPDX-License-Identifier: Apache-2.0
// The inner loops of a convolution of bytes.
#include "gen/kernels/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "gen/kernels/instructions.h"

namespace kumiki::gen::kernels {
namespace {

constexpr std::size_t lanes = 16, tile_columns = 2 * lanes;

KUMIKI_VNNI inline __m512i load(const std::int32_t* from) { return _mm512_loadu_si512(from); }
KUMIKI_VNNI inline void store(std::int32_t* to, __m512i numbers) {
  _mm512_storeu_si512(to, numbers);
}

template <std::size_t rows>
KUMIKI_VNNI void multiply(const std::int32_t* weights, const std::int32_t* words, std::size_t terms,
                          std::int32_t* sums, std::size_t width, bool adds) {
  __m512i left[rows], right[rows];
  KUMIKI_UNROLL
  for (std::size_t r = 0; r < rows; ++r) {
    left[r] = adds ? load(sums + r * width) : _mm512_setzero_si512();
    right[r] = adds ? load(sums + r * width + lanes) : _mm512_setzero_si512();
  }
  for (std::size_t k = 0; k < terms; ++k, weights += tile_rows, words += tile_columns) {
    const __m512i a = load(words), b = load(words + lanes);
    KUMIKI_UNROLL
    for (std::size_t r = 0; r < rows; ++r) {
      const __m512i w = _mm512_set1_epi32(weights[r]);
      left[r] = _mm512_dpbusd_epi32(left[r], a, w);
      right[r] = _mm512_dpbusd_epi32(right[r], b, w);
    }
  }
  KUMIKI_UNROLL
  for (std::size_t r = 0; r < rows; ++r) {
    store(sums + r * width, left[r]);
    store(sums + r * width + lanes, right[r]);
  }
}

void multiply_tile(std::size_t rows, const std::int32_t* weights, const std::int32_t* words,
                   std::size_t terms, std::int32_t* sums, std::size_t width, bool adds) {
  constexpr decltype(&multiply<1>) of_rows[tile_rows] = {multiply<1>, multiply<2>, multiply<3>,
                                                         multiply<4>, multiply<5>, multiply<6>};
  of_rows[rows - 1](weights, words, terms, sums, width, adds);
}

KUMIKI_VNNI void multiply_strip(const std::int32_t* weights, const std::int32_t* words,
                                const std::size_t* offsets, std::size_t terms, std::int32_t* sums) {
  constexpr std::size_t vectors = strip_columns / lanes;
  __m512i all[vectors];
  KUMIKI_UNROLL
  for (__m512i& v : all) v = _mm512_setzero_si512();
  for (std::size_t k = 0; k < terms; ++k) {
    const __m512i w = _mm512_set1_epi32(weights[k]);
    const std::int32_t* at = words + offsets[k];
    KUMIKI_UNROLL
    for (std::size_t v = 0; v < vectors; ++v)
      all[v] = _mm512_dpbusd_epi32(all[v], load(at + v * lanes), w);
  }
  KUMIKI_UNROLL
  for (std::size_t v = 0; v < vectors; ++v) store(sums + v * lanes, all[v]);
}

KUMIKI_VNNI std::int32_t multiply_row(const std::int32_t* weights, const std::int32_t* words,
                                      std::size_t terms) {
  __m512i all = _mm512_setzero_si512(), more = all;
  std::size_t k = 0;
  for (; k + 2 * lanes <= terms; k += 2 * lanes) {
    all = _mm512_dpbusd_epi32(all, load(words + k), load(weights + k));
    more = _mm512_dpbusd_epi32(more, load(words + k + lanes), load(weights + k + lanes));
  }
  for (; k < terms; k += lanes) {
    const auto is_in = static_cast<__mmask16>((1U << std::min(terms - k, lanes)) - 1);
    all = _mm512_dpbusd_epi32(all, _mm512_maskz_loadu_epi32(is_in, words + k),
                              _mm512_maskz_loadu_epi32(is_in, weights + k));
  }
  alignas(64) std::uint32_t sums[lanes];
  _mm512_store_si512(sums, _mm512_add_epi32(all, more));
  std::uint32_t sum = 0;
  for (const std::uint32_t s : sums) sum += s;
  return static_cast<std::int32_t>(sum);
}

KUMIKI_VNNI void copy_words(const std::int32_t* words, const std::size_t* offsets,
                            std::size_t terms, std::size_t tiles, std::int32_t* to) {
  const std::size_t of_tile = terms * tile_columns;
  for (std::size_t k = 0; k < terms; ++k, to += tile_columns) {
    const std::int32_t* from = words + offsets[k];
    for (std::size_t t = 0; t < tiles; ++t, from += tile_columns) {
      store(to + t * of_tile, load(from));
      store(to + t * of_tile + lanes, load(from + lanes));
    }
  }
}

// The constants of a Requantiser, 16 times.
struct Lanes {
  __m512 scale, low, high;
  __m512i bias, zero_point;
};
// The operations of arith::requantised(), in its order.
KUMIKI_VNNI inline __m512i requantised(__m512i sums, const Lanes& by) {
  const __m512 scaled =
      _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(sums, by.bias)), by.scale);
  const __m512 clamped = _mm512_min_ps(_mm512_max_ps(scaled, by.low), by.high);
  return _mm512_add_epi32(_mm512_cvtps_epi32(clamped), by.zero_point);
}

}  // namespace

const Loops quads{4, tile_columns, multiply_tile, multiply_strip, multiply_row, copy_words};

KUMIKI_VNNI void requantise_to_bytes(const Requantiser& by, const std::int32_t* sums,
                                     std::size_t count, std::uint8_t* results) {
  const Lanes constants{.scale = _mm512_set1_ps(by.scale),
                        .low = _mm512_set1_ps(by.low),
                        .high = _mm512_set1_ps(by.high),
                        .bias = _mm512_set1_epi32(by.bias),
                        .zero_point = _mm512_set1_epi32(by.zero_point)};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(results + i),
                     _mm512_cvtepi32_epi8(requantised(load(sums + i), constants)));
  if (i == count) return;
  const auto is_in = static_cast<__mmask16>((1U << (count - i)) - 1);
  const __m512i rest = requantised(_mm512_maskz_loadu_epi32(is_in, sums + i), constants);
  _mm_mask_storeu_epi8(results + i, is_in, _mm512_cvtepi32_epi8(rest));
}

KUMIKI_VNNI void take_windows(const std::uint8_t* line, int stride, std::size_t count,
                              std::int32_t* words) {
  if (stride > 2) {
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(words + i, line + i * std::size_t(stride), sizeof(std::int32_t));
    return;
  }
  // A lane of 128 bits has four words; first the words of memory with their bytes, then the bytes.
  const __m512i from = stride == 1
                           ? _mm512_setr_epi32(0, 1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3, 4, 0, 0)
                           : _mm512_setr_epi32(0, 1, 2, 0, 2, 3, 4, 0, 4, 5, 6, 0, 6, 7, 8, 0);
  const __m512i bytes = _mm512_broadcast_i32x4(
      stride == 1 ? _mm_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6)
                  : _mm_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9));
  for (std::size_t i = 0; i < count; i += lanes) {
    const __m512i there = _mm512_loadu_si512(line + i * std::size_t(stride));
    const __m512i made = _mm512_shuffle_epi8(_mm512_permutexvar_epi32(from, there), bytes);
    if (i + lanes <= count)
      store(words + i, made);
    else
      _mm512_mask_storeu_epi32(words + i, static_cast<__mmask16>((1U << (count - i)) - 1), made);
  }
}

}  // namespace kumiki::gen::kernels

#endif
