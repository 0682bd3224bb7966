// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/fused.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gen/kernels/instructions.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kumiki::gen::kernels {

void plain_fused_sums(const FusedSum& sum, const float* x, std::vector<float>& sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    float all = 0;
    for (std::size_t first = 0; first < sum.channels; first += sum.block) {
      const std::size_t end = std::min(first + sum.block, sum.channels);
      float part = 0;
      for (std::size_t c = first; c < end; ++c)
        part = std::fma(sum.weights[c * sum.step], x[c * sums.size() + i], part);
      all = first == 0 ? part : all + part;
    }
    sums[i] = all;
  }
}

#if defined(__x86_64__)
namespace {

KUMIKI_AVX2_FMA void fast_fused_sums(const FusedSum& sum, const float* x,
                                     std::vector<float>& sums) {
  constexpr std::size_t lanes = 8;
  for (std::size_t i = 0; i < sums.size(); i += lanes) {
    const int some = static_cast<int>(std::min(lanes, sums.size() - i));
    const __m256i is_in =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(some), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256 all = _mm256_setzero_ps();
    for (std::size_t first = 0; first < sum.channels; first += sum.block) {
      const std::size_t end = std::min(first + sum.block, sum.channels);
      __m256 part = _mm256_setzero_ps();
      for (std::size_t c = first; c < end; ++c)
        part = _mm256_fmadd_ps(_mm256_set1_ps(sum.weights[c * sum.step]),
                               _mm256_maskload_ps(x + c * sums.size() + i, is_in), part);
      all = first == 0 ? part : _mm256_add_ps(all, part);
    }
    _mm256_maskstore_ps(sums.data() + i, is_in, all);
  }
}

}  // namespace
#endif

void fused_sums(const FusedSum& sum, const float* x, std::vector<float>& sums) {
#if defined(__x86_64__)
  if (has_avx2()) return fast_fused_sums(sum, x, sums);
#endif
  plain_fused_sums(sum, x, sums);
}

}  // namespace kumiki::gen::kernels
