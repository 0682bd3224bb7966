// SPDX-License-Identifier: Apache-2.0
// Softmax in integers, as machines compute it. For a group of numbers q of scale s, and results of
// scale t and zero point z:
//
//   T[k] = round(2^23 * exp(-k * s))              k = largest q - q, from 0 to 255
//   S    = sum of T[k] of the group               exact
//   c    = floor(1 / t)                           a float32, as onnxruntime has it
//   R    = floor(c * 2^41 / S)
//   y    = min(floor((T[k] * R + 2^40) / 2^41) + z, the largest number of the format)
//
// S is at least 2^23, so R is at most c * 2^18. T and R are rounded by at most half and one unit,
// which moves a result by less than 2^-15 of a step. So only results near to a tie differ from
// those in float32. A tie goes up; in float32 it goes to the even number.
#pragma once
#include <array>
#include <cstdint>

#include "gen/operators/tensor.h"

namespace kumiki::gen::graph {

struct SoftmaxIntegers {
  static constexpr int entry_bits = 24;  // T is at most 2^23
  static constexpr int shift = 41;
  static constexpr std::int64_t most_factor = 256;  // so that R has at most 27 bits
  std::array<std::uint32_t, 256> entries = {};      // T
  std::int64_t factor = 1;                          // c
  std::int64_t zero = 0, most = 255;                // of the results
  std::int64_t reciprocal(std::int64_t sum) const { return (factor << shift) / sum; }
  // Bits of the largest R.
  int reciprocal_bits() const;
  // Whether a result may be above the largest number.
  bool clamps() const { return factor + zero > most; }
  std::int64_t result(std::int64_t entry, std::int64_t reciprocal) const;
  bool operator==(const SoftmaxIntegers&) const = default;
};

SoftmaxIntegers integers_of(const Tensor& in, const Tensor& out);

}  // namespace kumiki::gen::graph
