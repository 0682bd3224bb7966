// SPDX-License-Identifier: Apache-2.0
// The inner loops of a convolution of bytes.
#include "gen/kernels/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>

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

}  // namespace

const Loops quads{4, tile_columns, multiply_tile, multiply_strip, multiply_row, copy_words};

}  // namespace kumiki::gen::kernels

#endif
