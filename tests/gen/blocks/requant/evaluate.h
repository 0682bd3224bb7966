// SPDX-License-Identifier: Apache-2.0
// What a requantising slice and the gates behind it compute, bit by bit from the plan.
#pragma once
#include <algorithm>

#include "gen/blocks/requant/slice.h"

namespace kumiki::gen::requant {

inline std::int64_t evaluate(const RequantPlan& plan, const RequantValues& v) {
  const RequantRequest& r = plan.request;
  const std::int64_t factor = v.accumulator + (plan.bias_on_d ? v.bias : 0);
  const auto product = static_cast<std::uint64_t>(factor * v.scale);
  const bool same_sign = (factor < 0) == (v.scale < 0);
  const auto constant = static_cast<std::uint64_t>(
      (plan.zero_point_on_c ? v.zero_point * (std::int64_t{1} << r.shift) : 0) +
      (plan.sign_on_c && !same_sign ? (std::int64_t{1} << r.shift) - 1 : 0));
  // CARRYINSEL 110: the XNOR of the signs at the multiplier.
  const std::uint64_t carry = plan.carryinsel == 0b110 && same_sign ? 1 : 0;
  const std::uint64_t all = (std::uint64_t{1} << packing::kWordBits) - 1;
  const std::uint64_t p = (product + (plan.uses_c ? constant : 0) +
                           (static_cast<std::uint64_t>(plan.rnd) & all) + carry) &
                          all;
  const bool detect = ((p ^ plan.pattern) & ~plan.mask & all) == 0;
  const bool detect_b = ((p ^ ~plan.pattern) & ~plan.mask & all) == 0;
  const bool negative = (p >> (packing::kWordBits - 1)) != 0;
  const std::uint64_t below = (std::uint64_t{1} << r.shift) - 1;
  const bool tie =
      plan.ties_in_luts ? (p & below) == (plan.tie_fix == TieFix::SetLsb ? below : 0) : detect;

  const std::uint64_t field_mask = (std::uint64_t{1} << plan.field_bits) - 1;
  std::uint64_t field = p >> plan.field_lsb & field_mask;
  if (plan.tie_fix == TieFix::ClearLsb && tie) field &= ~std::uint64_t{1};
  if (plan.tie_fix == TieFix::SetLsb && tie) field |= 1;

  bool fits = true;
  if (plan.saturation == Saturation::Pattern) fits = detect || (plan.field_signed && detect_b);
  if (plan.saturation == Saturation::Lut) {
    const int from = plan.field_lsb + plan.field_bits - (plan.field_signed ? 1 : 0);
    const std::uint64_t above_mask = (std::uint64_t{1} << plan.above_bits) - 1;
    const std::uint64_t above = p >> from & above_mask;
    fits = above == 0 || (plan.field_signed && above == above_mask);
  }
  if (!fits) return static_cast<std::int64_t>(negative ? r.clamp.lo : r.clamp.hi);
  auto q = static_cast<std::int64_t>(field);
  if (plan.field_signed && (field >> (plan.field_bits - 1)) != 0)
    q -= std::int64_t{1} << plan.field_bits;
  if (plan.compare_low) q = std::max(q, static_cast<std::int64_t>(r.clamp.lo));
  if (plan.compare_high) q = std::min(q, static_cast<std::int64_t>(r.clamp.hi));
  return q;
}

}  // namespace kumiki::gen::requant
