// SPDX-License-Identifier: Apache-2.0
// General truth tables, evaluated for 64 lanes at once.
#pragma once
#include <array>
#include <cstdint>

#include "ir/primitive.h"

namespace kumiki::backends::native {

// `count` tables of k inputs each: operands are slots, results go to `out` and the words behind it.
using LookUp = void (*)(const ir::Lanes* slots, const std::uint32_t* operands,
                        const std::uint64_t* tables, std::uint32_t count, ir::Lanes* out);
using LookUps = std::array<LookUp, 4>;  // for 3, 4, 5 and 6 inputs

LookUps portable_look_ups();
// Uses the bit shuffle of AVX-512, one instruction for 64 look-ups; returns the portable functions
// on machines without it.
LookUps fastest_look_ups();

}  // namespace kumiki::backends::native
