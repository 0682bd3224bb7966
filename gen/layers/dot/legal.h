// SPDX-License-Identifier: Apache-2.0
// Turns random raw bits into an operand that its format allows.
#pragma once
#include <cstdint>

#include "gen/blocks/packing/format.h"

namespace kumiki::gen::dot {

inline bool takes_everything(const packing::OperandFormat& f) { return !f.narrow && !f.range; }

// Clamps: a value below the range becomes the lowest one, a value above it the highest.
inline std::uint64_t made_legal(std::uint64_t raw, const packing::OperandFormat& f) {
  const auto all = f.interval();
  const std::int64_t value = packing::value_of(raw, f.format());
  if (all.contains(value)) return raw;
  return packing::raw_of(static_cast<std::int64_t>(value < all.lo ? all.lo : all.hi), f.bits);
}

}  // namespace kumiki::gen::dot
