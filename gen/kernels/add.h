// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "gen/arith/interval.h"

namespace kumiki::gen::kernels {

// a * first + (b * second + fixed) in float32, each product and sum rounded once, to the nearest
// integer with ties to even, within a range.
struct AddRule {
  float first = 1, second = 1, fixed = 0;
  arith::Interval range;
};

// Null: this processor cannot, or the range needs more than the 24 bits of a float32.
using Addition = void (*)(const AddRule& rule, const std::int32_t* a, const std::int32_t* b,
                          std::size_t count, std::int32_t* sums);
Addition fast_addition(const AddRule& rule);

}  // namespace kumiki::gen::kernels
