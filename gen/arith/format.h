// SPDX-License-Identifier: Apache-2.0
// The number format of bits: how many there are, and whether the top one is a sign.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>

#include "gen/arith/interval.h"

namespace kumiki::gen::arith {

struct Format {
  int bits = 8;
  bool is_signed = true;

  // The range of all numbers that it can hold.
  Interval range() const { return is_signed ? signed_range(bits) : unsigned_range(bits); }
  friend bool operator==(const Format&, const Format&) = default;
};

// The number in the lowest 1 to 64 bits of a word; higher bits are ignored. Unsigned numbers of 64
// bits do not fit the result.
constexpr std::int64_t value_of(std::uint64_t raw, const Format& format) {
  const int above = 64 - format.bits;
  raw <<= above;
  return format.is_signed ? static_cast<std::int64_t>(raw) >> above
                          : static_cast<std::int64_t>(raw >> above);
}
// The bits of a number, with zeros above; bits that do not fit are cut off.
constexpr std::uint64_t raw_of(std::int64_t value, std::integral auto bits) {
  const auto all = static_cast<std::uint64_t>(value);
  return bits < 64 ? all & ((std::uint64_t{1} << bits) - 1) : all;
}
constexpr std::uint64_t raw_of(std::int64_t value, const Format& format) {
  return raw_of(value, format.bits);
}

std::string to_string(const Format& format);  // "S8", "U4"

}  // namespace kumiki::gen::arith
