// SPDX-License-Identifier: Apache-2.0
// Rounds a number between two integers to one of them.
#pragma once
#include <cstdint>
#include <string>

#include "gen/arith/interval.h"

namespace kumiki::gen {

enum class Rounding : std::uint8_t { down, half_up, half_even, half_away, to_zero, up };

std::string to_string(Rounding rounding);  // "half away from zero"

// value / 2^shift, from the definition.
arith::Exact rounded(arith::Exact value, int shift, Rounding rounding);

}  // namespace kumiki::gen
