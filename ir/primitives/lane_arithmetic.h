// SPDX-License-Identifier: Apache-2.0
// Arithmetic on bit-sliced operands: word i holds bit i of 64 independent numbers. Loops over bits
// have fixed trip counts, and no carried dependence where possible, so they become vector code.
#pragma once
#include <cstdint>

namespace kumiki::ir::lanes {

using Lanes = std::uint64_t;

inline constexpr Lanes none = 0, every = ~Lanes{0};

// A register with synchronous reset that beats the enable.
template <unsigned bits>
void load(Lanes* q, const Lanes* d, Lanes enable, Lanes reset) {
  Lanes take = enable & ~reset, hold = ~(enable | reset);
  if (take == every) {
    for (unsigned i = 0; i < bits; ++i) q[i] = d[i];
  } else if (hold != every) {
    for (unsigned i = 0; i < bits; ++i) q[i] = (q[i] & hold) | (d[i] & take);
  }
}

// sum = a + (b ^ invert) + carry, modulo 2^bits.
template <unsigned bits>
void add(const Lanes* a, const Lanes* b, Lanes invert, Lanes carry, Lanes* sum) {
  for (unsigned i = 0; i < bits; ++i) {
    Lanes x = b[i] ^ invert, t = a[i] ^ x;
    sum[i] = t ^ carry;
    carry = (a[i] & x) | (carry & t);
  }
}

// product (45) = a (27) * b (18), signed.
void multiply_27x18(const Lanes* a, const Lanes* b, Lanes* product);

}  // namespace kumiki::ir::lanes
