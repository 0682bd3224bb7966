// SPDX-License-Identifier: Apache-2.0
// A division by a constant as a multiplication and a shift, exact for every possible value.
#pragma once
#include "gen/blocks/packing/format.h"
#include "gen/layers/vision/pixel/requests.h"

namespace kumiki::gen::vision {

// x / divisor, rounded.
std::int64_t divided(std::int64_t x, std::int64_t divisor, Rounding rounding);
// The definition of Scale: (multiplier * x + addend) / 2^shift + offset, rounded.
std::int64_t scaled(std::int64_t x, const Scale& scale);

// The Scale with the smallest shift that divides all values of the format exactly. DesignError if
// there is none.
Scale division(std::int64_t divisor, Rounding rounding, const packing::OperandFormat& format);

}  // namespace kumiki::gen::vision
