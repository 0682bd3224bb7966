// SPDX-License-Identifier: Apache-2.0
// Properties of an operand before it is packed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/arith/format.h"
#include "gen/arith/interval.h"
#include "ir/error.h"

namespace kumiki::gen::packing {

using arith::add;
using arith::bits_for_count;
using arith::Certificate;
using arith::Exact;
using arith::floor_div;
using arith::Format;
using arith::hull;
using arith::Interval;
using arith::mul;
using arith::power_of_two;
using arith::raw_of;
using arith::Relation;
using arith::shifted;
using arith::signed_bits;
using arith::signed_range;
using arith::Statement;
using arith::sub;
using arith::to_string;
using arith::unsigned_range;
using arith::value_of;

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

  Format format() const { return {bits, is_signed}; }
  bool known() const { return !values.empty(); }
  // All values that the operand may take, in any term.
  Interval interval() const;
  // The same for one operand in one term: a point if the values are known.
  Interval interval(int operand, std::int64_t term) const;
  // What the format says against itself.
  std::optional<Diagnostic> contradiction(std::int64_t terms) const;
  // Throws it as a DesignError; `who` starts the message.
  void validate(const std::string& who, std::int64_t terms) const;
  bool operator==(const OperandFormat&) const = default;
};

std::string to_string(const OperandFormat& format);  // "S8", "S8 narrow", "U4", "S8 in [-3, 3]"

}  // namespace kumiki::gen::packing
