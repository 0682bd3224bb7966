// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/add.h"

#include <algorithm>
#include <cstdint>

#include "gen/kernels/instructions.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kumiki::gen::kernels {

#if defined(__x86_64__)
namespace {

KUMIKI_AVX2_FMA void add(const AddRule& rule, const std::int32_t* a, const std::int32_t* b,
                         std::size_t count, std::int32_t* sums) {
  constexpr std::size_t lanes = 8;
  const __m256 first = _mm256_set1_ps(rule.first), second = _mm256_set1_ps(rule.second),
               fixed = _mm256_set1_ps(rule.fixed),
               low = _mm256_set1_ps(static_cast<float>(static_cast<std::int64_t>(rule.range.lo))),
               high = _mm256_set1_ps(static_cast<float>(static_cast<std::int64_t>(rule.range.hi)));
  for (std::size_t i = 0; i < count; i += lanes) {
    const int some = static_cast<int>(std::min(lanes, count - i));
    const __m256i is_in =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(some), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256 qa = _mm256_cvtepi32_ps(_mm256_maskload_epi32(a + i, is_in));
    const __m256 qb = _mm256_cvtepi32_ps(_mm256_maskload_epi32(b + i, is_in));
    const __m256 sum = _mm256_fmadd_ps(qa, first, _mm256_fmadd_ps(qb, second, fixed));
    const __m256 clamped = _mm256_min_ps(_mm256_max_ps(sum, low), high);
    _mm256_maskstore_epi32(sums + i, is_in, _mm256_cvtps_epi32(clamped));
  }
}

}  // namespace
#endif

Addition fast_addition([[maybe_unused]] const AddRule& rule) {
#if defined(__x86_64__)
  if (has_avx2() && rule.range.within(arith::signed_range(24))) return add;
#endif
  return nullptr;
}

}  // namespace kumiki::gen::kernels
