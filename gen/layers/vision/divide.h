// SPDX-License-Identifier: Apache-2.0
// A division by a constant as a multiplication and a shift, exact for every value there can be.
#pragma once
#include "gen/blocks/packing/format.h"
#include "gen/layers/vision/pixel/requests.h"

namespace kumiki::gen::vision {

// x / divisor, rounded.
std::int64_t divided(std::int64_t x, std::int64_t divisor, Rounding rounding);
// What Scale computes: (multiplier * x + addend) / 2^shift + offset.
std::int64_t scaled(std::int64_t x, const Scale& scale);

// The scaling with the smallest shift that does the division for all values of the format.
// DesignError when there is none.
Scale division(std::int64_t divisor, Rounding rounding, const packing::OperandFormat& format);

}  // namespace kumiki::gen::vision
