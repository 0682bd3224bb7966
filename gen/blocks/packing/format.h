// SPDX-License-Identifier: Apache-2.0
// What is known about an operand before it is packed.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/arith/interval.h"

namespace kumiki::gen::packing {

using arith::add;
using arith::bits_for_count;
using arith::Certificate;
using arith::Exact;
using arith::floor_div;
using arith::hull;
using arith::Interval;
using arith::mul;
using arith::power_of_two;
using arith::Relation;
using arith::shifted;
using arith::signed_bits;
using arith::signed_range;
using arith::Statement;
using arith::sub;
using arith::to_string;
using arith::unsigned_range;

// The 27-bit side takes the packed operands (the pair a, d), the 18-bit side the shared ones (b).
enum class Side : std::uint8_t { Packed, Shared };

struct OperandRef {
  Side side = Side::Packed;
  int index = 0;
  friend bool operator==(const OperandRef&, const OperandRef&) = default;
};

struct OperandFormat {
  int bits = 8;
  bool is_signed = true;
  bool narrow = false;  // signed without its lowest value: -127..127
  std::optional<std::pair<std::int64_t, std::int64_t>> range;  // tighter than the bits
  std::vector<std::vector<std::int64_t>> values;               // known weights: [operand][term]

  bool known() const { return !values.empty(); }
  // Every value the operand may take, in any term.
  Interval interval() const;
  // The same for one operand in one term: a point where the values are known.
  Interval interval(int operand, std::int64_t term) const;
  // Throws DesignError when the format contradicts itself; `who` starts the message.
  void validate(const std::string& who, std::int64_t terms) const;
  bool operator==(const OperandFormat&) const = default;
};

// The number that a port's bits stand for, and back; a format is anything with `bits` and
// `is_signed`.
template <class Format>
std::int64_t value_of(std::uint64_t raw, const Format& format) {
  const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1);
  return static_cast<std::int64_t>(format.is_signed ? (raw ^ sign) - sign : raw);
}
std::uint64_t raw_of(std::int64_t value, std::integral auto bits) {
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
}
template <class Format, class = decltype(Format::bits)>
std::uint64_t raw_of(std::int64_t value, const Format& format) {
  return raw_of(value, format.bits);
}

std::string to_string(const OperandFormat& format);  // "S8", "S8 narrow", "U4", "S8 in [-3, 3]"

}  // namespace kumiki::gen::packing
