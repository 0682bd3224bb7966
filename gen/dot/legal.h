// SPDX-License-Identifier: Apache-2.0
// Random raw bits made into an operand that its format allows.
#pragma once
#include <cstdint>

#include "gen/packing/format.h"

namespace kumiki::gen::dot {

inline bool takes_everything(const packing::OperandFormat& f) { return !f.narrow && !f.range; }

// Ends stay ends: what is too low or too high becomes the lowest or the highest.
inline std::uint64_t made_legal(std::uint64_t raw, const packing::OperandFormat& f) {
  const auto all = f.interval();
  const std::uint64_t sign = std::uint64_t{1} << (f.bits - 1);
  const auto value = static_cast<std::int64_t>(f.is_signed ? (raw ^ sign) - sign : raw);
  if (all.contains(value)) return raw;
  const auto end = value < all.lo ? all.lo : all.hi;
  return static_cast<std::uint64_t>(end) & ((std::uint64_t{1} << f.bits) - 1);
}

}  // namespace kumiki::gen::dot
