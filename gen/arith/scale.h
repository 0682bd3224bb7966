// SPDX-License-Identifier: Apache-2.0
// A ratio as an integer and a shift, the form in which a slice multiplies.
#pragma once
#include <cstdint>

#include "ir/arch.h"

namespace kumiki::gen::arith {

constexpr int scale_bits = ir::arch::dsp48e2.multiplier_b - 1;  // without the sign

struct Scale {
  std::int64_t scale = 1;
  int shift = 0;
  friend bool operator==(const Scale&, const Scale&) = default;
};

// The nearest 17-bit scale to a nonzero ratio: scale / 2^shift. A field of n bits at the shift must
// end within P, so `most_shift` is 48 - n. DesignError if 17 bits cannot hold the ratio.
Scale nearest_scale(double ratio, int most_shift = 46);

// The scale of at most so many bits that is nearest to a positive ratio, without zeros that a
// smaller shift removes. From 2^bits on its shift is below 0.
Scale shortest_scale(double ratio, int bits, int most_shift = 1000);

}  // namespace kumiki::gen::arith
