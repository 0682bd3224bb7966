// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/channel_rule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/arith/bounds.h"
#include "gen/arith/peak.h"
#include "gen/arith/rounding.h"
#include "gen/arith/scale.h"
#include "ir/error.h"

namespace kumiki::gen::arith {
namespace {

// Chooses the offsets; the same one on both sides if possible.
void choose_offsets(const Interval& above, const Interval& below, Exact wish, SlicedRule& rule) {
  const Interval both{std::max(above.lo, below.lo), std::min(above.hi, below.hi)};
  const bool one = both.lo <= both.hi;
  const auto nearest = [&](const Interval& side) {
    return as_word(std::clamp(wish, one ? both.lo : side.lo, one ? both.hi : side.hi));
  };
  rule.offset = nearest(above);
  rule.offset_below = nearest(below);
}

}  // namespace

SlicedRule even_rule(Exact factor, int shift, std::int64_t zero_point, const Interval& range) {
  SlicedRule rule{
      .factor = as_word(factor), .shift = shift, .zero_point = zero_point, .range = range};
  rule.even = shift > 0;
  const Exact half = shift > 0 ? power_of_two(shift - 1) - (zero_point & 1) : 0;
  rule.offset = rule.offset_below = as_word(Exact{zero_point} * power_of_two(shift) + half);
  return rule;
}

double DoublingRule::scale() const {
  return std::ldexp(static_cast<double>(multiplier), -31 - shift);
}

void require_legal(const DoublingRule& r, const Interval& reachable) {
  const auto refuse = [](const std::string& wrong, const std::string& required) {
    throw DesignError({.code = code::out_of_range, .wrong = wrong, .required = required});
  };
  if (r.multiplier < 1 << 30)
    refuse(fmt::format("a multiplier of {}", r.multiplier),
           "the multiplier must be from 2^30 to 2^31 - 1");
  if (r.shift < -31 || r.shift > 31)
    refuse(fmt::format("a shift of {}", r.shift), "the shift must be from -31 to 31");
  if (!r.range.contains(r.zero_point))
    refuse(fmt::format("a zero point of {}", r.zero_point),
           "the zero point must be within " + to_string(r.range));
  const Interval before = shifted(reachable, std::max(0, -r.shift));
  if (!before.within(signed_range(32)))
    refuse(fmt::format("accumulators {} shifted to {}", to_string(reachable), to_string(before)),
           "shifted accumulators must fit 32 bits; use a narrower accumulator or a larger shift");
}

std::int64_t requantised(const DoublingRule& r, std::int32_t accumulator) {
  const Exact before = Exact{accumulator} * power_of_two(std::max(0, -r.shift));
  // The upper half of the doubled product: the nearest to product / 2^31, ties upwards.
  const Exact high = floor_div(before * r.multiplier + power_of_two(30), power_of_two(31));
  const Exact q = rounded(high, std::max(0, r.shift), Rounding::half_away);
  return as_word(std::clamp(q + r.zero_point, r.range.lo, r.range.hi));
}

int SlicedRule::factor_bits() const {
  int bits = 0;
  while (factor >> bits != 0) ++bits;
  return bits;
}

std::int64_t requantised(const SlicedRule& r, std::int64_t accumulator) {
  const Exact sum = Exact{accumulator} * r.factor + (accumulator < 0 ? r.offset_below : r.offset);
  const Exact unit = power_of_two(r.shift);
  Exact q = floor_div(sum, unit);
  const bool odd = (r.zero_point & 1) != 0;
  const Exact at_tie = odd ? unit - 1 : 0;
  if (r.even && sum - q * unit == at_tie && ((q - r.zero_point) & 1) != 0) q += odd ? 1 : -1;
  return as_word(std::clamp(q, r.range.lo, r.range.hi));
}

std::string to_string(const SlicedRule& r) {
  const auto sum = [&](std::int64_t offset) {
    return fmt::format("acc * {} {} {}", r.factor, offset < 0 ? '-' : '+', std::abs(offset));
  };
  std::string text = fmt::format("({}) >> {}", sum(r.offset), r.shift);
  if (r.offset != r.offset_below)
    text +=
        fmt::format(", below 0 {} {}", r.offset_below < 0 ? '-' : '+', std::abs(r.offset_below));
  if (r.even) text += ", ties even";
  return fmt::format("{}, in {}", text, to_string(r.range));
}

std::optional<SlicedRule> equal_rule(const Steps& steps, double scale, std::int64_t zero_point,
                                     const Interval& range, int most_factor_bits, int most_shift,
                                     bool one_offset) {
  const BoundsOfSides sides =
      one_offset ? BoundsOfSides{bounds_of(steps, range), {}} : sides_of(steps, range);
  const Exact most = power_of_two(most_factor_bits) - 1;
  for (int shift = 0; shift <= most_shift; ++shift) {
    const double exact = std::ldexp(scale, shift);
    if (exact / 2 > static_cast<double>(as_word(most))) break;
    // A factor of twice or half the scale is no longer near.
    const Exact low = std::max<Exact>(1, static_cast<Exact>(std::floor(exact / 2)));
    const Exact high = std::min<Exact>(most, static_cast<Exact>(std::ceil(exact * 2)));
    if (low > high) continue;
    const Exact half = shift > 0 ? power_of_two(shift - 1) : 0;
    const Exact wish = Exact{zero_point} * power_of_two(shift) + half;
    // The factor with the most room for offsets: the room of each side is concave, and so is their
    // minimum.
    const auto room = [&](Exact factor) {
      return std::min(sides.negative.offsets(factor, shift).span(),
                      sides.other.offsets(factor, shift).span());
    };
    if (const Exact factor = peak(low, high, room); room(factor) >= 0) {
      SlicedRule form{
          .factor = as_word(factor), .shift = shift, .zero_point = zero_point, .range = range};
      choose_offsets(sides.other.offsets(factor, shift), sides.negative.offsets(factor, shift),
                     wish, form);
      return form;
    }
    const auto near = static_cast<Exact>(std::nearbyint(exact));
    if (near < 1 || near > most) continue;
    const SlicedRule even = even_rule(near, shift, zero_point, range);
    if (!difference(steps, [&](std::int64_t acc) { return requantised(even, acc); })) return even;
  }
  return std::nullopt;
}

SlicedRule nearest_rule(double scale, std::int64_t zero_point, const Interval& range,
                        int factor_bits, int most_shift) {
  const auto [factor, shift] = shortest_scale(scale, factor_bits);
  if (shift < 0 || shift > most_shift || factor >> factor_bits != 0)
    throw DesignError(
        code::out_of_range,
        fmt::format(
            "a scale of {} is not possible as a factor of {} bits; its shift must be 0 to {}",
            scale, factor_bits, most_shift));
  return even_rule(factor, shift, zero_point, range);
}

}  // namespace kumiki::gen::arith
