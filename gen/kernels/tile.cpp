// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>

#include "gen/kernels/instructions.h"

namespace kumiki::gen::kernels {
namespace {

constexpr std::size_t lanes = 8, tile_columns = 16;

KUMIKI_AVX2 inline __m256i load(const std::int32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
KUMIKI_AVX2 inline void store(std::int32_t* to, __m256i numbers) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), numbers);
}

// A mask of so many lanes; of all, if it is more.
KUMIKI_AVX2 inline __m256i first_lanes(std::size_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(std::min(count, lanes))),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

template <std::size_t rows>
KUMIKI_AVX2 void multiply(const std::int32_t* weights, const std::int32_t* pairs, std::size_t terms,
                          std::int32_t* sums, std::size_t width, bool adds) {
  __m256i left[rows], right[rows];
  KUMIKI_UNROLL
  for (std::size_t r = 0; r < rows; ++r) {
    left[r] = adds ? load(sums + r * width) : _mm256_setzero_si256();
    right[r] = adds ? load(sums + r * width + lanes) : _mm256_setzero_si256();
  }
  for (std::size_t k = 0; k < terms; ++k, weights += tile_rows, pairs += tile_columns) {
    const __m256i a = load(pairs), b = load(pairs + lanes);
    KUMIKI_UNROLL
    for (std::size_t r = 0; r < rows; ++r) {
      const __m256i w = _mm256_set1_epi32(weights[r]);
      left[r] = _mm256_add_epi32(left[r], _mm256_madd_epi16(w, a));
      right[r] = _mm256_add_epi32(right[r], _mm256_madd_epi16(w, b));
      // Otherwise gcc loads all weights first and has no registers left for the sums.
      asm volatile("" : "+x"(left[r]), "+x"(right[r]));
    }
  }
  KUMIKI_UNROLL
  for (std::size_t r = 0; r < rows; ++r) {
    store(sums + r * width, left[r]);
    store(sums + r * width + lanes, right[r]);
  }
}

void multiply_tile(std::size_t rows, const std::int32_t* weights, const std::int32_t* pairs,
                   std::size_t terms, std::int32_t* sums, std::size_t width, bool adds) {
  constexpr decltype(&multiply<1>) of_rows[tile_rows] = {multiply<1>, multiply<2>, multiply<3>,
                                                         multiply<4>, multiply<5>, multiply<6>};
  of_rows[rows - 1](weights, pairs, terms, sums, width, adds);
}

KUMIKI_AVX2 void multiply_strip(const std::int32_t* weights, const std::int32_t* pairs,
                                const std::size_t* offsets, std::size_t terms, std::int32_t* sums) {
  constexpr std::size_t vectors = strip_columns / lanes;
  __m256i all[vectors];
  KUMIKI_UNROLL
  for (__m256i& v : all) v = _mm256_setzero_si256();
  for (std::size_t k = 0; k < terms; ++k) {
    const __m256i w = _mm256_set1_epi32(weights[k]);
    const std::int32_t* at = pairs + offsets[k];
    KUMIKI_UNROLL
    for (std::size_t v = 0; v < vectors; ++v)
      all[v] = _mm256_add_epi32(all[v], _mm256_madd_epi16(w, load(at + v * lanes)));
  }
  KUMIKI_UNROLL
  for (std::size_t v = 0; v < vectors; ++v) store(sums + v * lanes, all[v]);
}

KUMIKI_AVX2 std::int32_t multiply_row(const std::int32_t* weights, const std::int32_t* pairs,
                                      std::size_t terms) {
  constexpr std::size_t vectors = 4;
  __m256i all[vectors];
  KUMIKI_UNROLL
  for (__m256i& v : all) v = _mm256_setzero_si256();
  std::size_t k = 0;
  for (; k + vectors * lanes <= terms; k += vectors * lanes) {
    KUMIKI_UNROLL
    for (std::size_t v = 0; v < vectors; ++v)
      all[v] = _mm256_add_epi32(
          all[v], _mm256_madd_epi16(load(weights + k + v * lanes), load(pairs + k + v * lanes)));
  }
  for (; k < terms; k += lanes) {
    const __m256i is_in = first_lanes(terms - k);
    all[0] = _mm256_add_epi32(all[0], _mm256_madd_epi16(_mm256_maskload_epi32(weights + k, is_in),
                                                        _mm256_maskload_epi32(pairs + k, is_in)));
  }
  alignas(32) std::uint32_t sums[lanes];
  store(reinterpret_cast<std::int32_t*>(sums),
        _mm256_add_epi32(_mm256_add_epi32(all[0], all[1]), _mm256_add_epi32(all[2], all[3])));
  std::uint32_t sum = 0;
  for (const std::uint32_t s : sums) sum += s;
  return static_cast<std::int32_t>(sum);
}

KUMIKI_AVX2 void copy_words(const std::int32_t* pairs, const std::size_t* offsets,
                            std::size_t terms, std::size_t tiles, std::int32_t* to) {
  const std::size_t of_tile = terms * tile_columns;
  for (std::size_t k = 0; k < terms; ++k) {
    const std::int32_t* from = pairs + offsets[k];
    for (std::size_t t = 0; t < tiles; ++t, from += tile_columns) {
      store(to + t * of_tile, load(from));
      store(to + t * of_tile + lanes, load(from + lanes));
    }
    to += tile_columns;
  }
}

// The constants of a Requantiser, eight times.
struct Lanes {
  __m256 scale, low, high;
  __m256i bias, zero_point;
};
// The operations of arith::requantised(), in its order.
KUMIKI_AVX2 inline __m256i requantised(__m256i sums, const Lanes& by) {
  const __m256 scaled =
      _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(sums, by.bias)), by.scale);
  const __m256 clamped = _mm256_min_ps(_mm256_max_ps(scaled, by.low), by.high);
  return _mm256_add_epi32(_mm256_cvtps_epi32(clamped), by.zero_point);
}

}  // namespace

const Loops pairs{2, tile_columns, multiply_tile, multiply_strip, multiply_row, copy_words};

KUMIKI_AVX2 void requantise(const Requantiser& by, const std::int32_t* sums, std::size_t count,
                            std::int32_t* results) {
  const Lanes constants{.scale = _mm256_set1_ps(by.scale),
                        .low = _mm256_set1_ps(by.low),
                        .high = _mm256_set1_ps(by.high),
                        .bias = _mm256_set1_epi32(by.bias),
                        .zero_point = _mm256_set1_epi32(by.zero_point)};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store(results + i, requantised(load(sums + i), constants));
  if (i == count) return;
  const __m256i is_in = first_lanes(count - i);
  _mm256_maskstore_epi32(results + i, is_in,
                         requantised(_mm256_maskload_epi32(sums + i, is_in), constants));
}

bool Requantiser::fits(const arith::FloatRule& rule) {
  return (rule.range - rule.zero_point).within(arith::signed_range(29)) &&
         rule.range.within(arith::signed_range(29));
}

Requantiser::Requantiser(const arith::FloatRule& rule, std::int32_t its_bias)
    : scale(rule.scale),
      low(static_cast<float>(static_cast<std::int64_t>(rule.range.lo)) -
          static_cast<float>(rule.zero_point)),
      high(static_cast<float>(static_cast<std::int64_t>(rule.range.hi)) -
           static_cast<float>(rule.zero_point)),
      zero_point(static_cast<std::int32_t>(rule.zero_point)),
      bias(its_bias) {}

}  // namespace kumiki::gen::kernels

#endif
