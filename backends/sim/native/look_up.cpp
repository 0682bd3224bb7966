// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/look_up.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kumiki::backends::native {
namespace {

using ir::Lanes;

// Makes all sixteen functions of the first two inputs once; four bits of the table choose one. A
// tree of multiplexers over the other inputs remains: 15 for six inputs, not 63.
template <unsigned k>
Lanes look_up(const Lanes* slots, const std::uint32_t* in, std::uint64_t table) {
  Lanes a = slots[in[0]], b = slots[in[1]];
  Lanes nor = ~(a | b), a_only = a & ~b, b_only = b & ~a, both = a & b;
  const Lanes of_two[16] = {0,    nor,      a_only, ~b,      b_only, ~a,      a ^ b, ~both,
                            both, ~(a ^ b), a,      ~b_only, b,      ~a_only, ~nor,  ~Lanes{0}};
  constexpr unsigned leaves = 1u << (k - 2);
  Lanes level[leaves];
  for (unsigned i = 0; i < leaves; ++i) level[i] = of_two[table >> (4 * i) & 15];
  for (unsigned j = 2; j < k; ++j) {
    Lanes x = slots[in[j]];
    for (unsigned i = 0; i < 1u << (k - 1 - j); ++i)
      level[i] = level[2 * i] ^ (x & (level[2 * i] ^ level[2 * i + 1]));
  }
  return level[0];
}

template <unsigned k>
void portable(const Lanes* slots, const std::uint32_t* operands, const std::uint64_t* tables,
              std::uint32_t count, Lanes* out) {
  for (std::uint32_t i = 0; i < count; ++i, operands += k)
    out[i] = look_up<k>(slots, operands, tables[i]);
}

#if defined(__x86_64__)
// The six inputs of a lane form a byte, and 64 bytes fill a register. One instruction takes bit
// number `byte` of the table for each of them.
template <unsigned k>
__attribute__((target("avx512f,avx512bw,avx512bitalg"))) void shuffled(
    const Lanes* slots, const std::uint32_t* operands, const std::uint64_t* tables,
    std::uint32_t count, Lanes* out) {
  for (std::uint32_t i = 0; i < count; ++i, operands += k) {
    __m512i index = _mm512_maskz_set1_epi8(slots[operands[0]], 1);
    for (unsigned j = 1; j < k; ++j)
      index = _mm512_mask_add_epi8(index, slots[operands[j]], index,
                                   _mm512_set1_epi8(static_cast<char>(1 << j)));
    out[i] =
        _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(static_cast<long long>(tables[i])), index);
  }
}
#endif

}  // namespace

LookUps portable_look_ups() { return {portable<3>, portable<4>, portable<5>, portable<6>}; }

LookUps fastest_look_ups() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512bitalg"))
    return {shuffled<3>, shuffled<4>, shuffled<5>, shuffled<6>};
#endif
  return portable_look_ups();
}

}  // namespace kumiki::backends::native
