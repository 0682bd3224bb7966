// SPDX-License-Identifier: Apache-2.0
// Numbers of up to 64 bits at any bit of the limbs of a port. A number may span two limbs.
#pragma once
#include <cstdint>

#include "gen/arith/format.h"

namespace kumiki::gen {

// The bits there must be 0.
inline void put_bits(std::uint64_t* limbs, std::uint32_t at, std::uint32_t width,
                     std::uint64_t value) {
  value = arith::raw_of(static_cast<std::int64_t>(value), width);
  limbs[at / 64] |= value << (at % 64);
  if (at % 64 + width > 64) limbs[at / 64 + 1] |= value >> (64 - at % 64);
}

inline std::uint64_t bits_at(const std::uint64_t* limbs, std::uint32_t at, std::uint32_t width) {
  std::uint64_t value = limbs[at / 64] >> (at % 64);
  if (at % 64 + width > 64) value |= limbs[at / 64 + 1] << (64 - at % 64);
  return arith::raw_of(static_cast<std::int64_t>(value), width);
}

}  // namespace kumiki::gen
