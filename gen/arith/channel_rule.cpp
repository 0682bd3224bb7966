// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/channel_rule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/arith/peak.h"
#include "ir/error.h"

namespace kumiki::gen::arith {
namespace {

std::int64_t as_word(Exact value) { return static_cast<std::int64_t>(value); }

// From `at` on the result is at least `result`; below `at` it is less.
struct Begin {
  Exact at, result;
  bool from_above, from_below;  // whether the bound applies to reachable accumulators
};

std::vector<Begin> begins_of(const Steps& steps, const Interval& range) {
  std::vector<Begin> all;
  if (steps.first > range.lo) all.push_back({steps.reachable.lo, steps.first, true, false});
  Exact result = steps.first;
  for (const std::int64_t at : steps.begins) all.push_back({at, ++result, true, true});
  if (result < range.hi) all.push_back({steps.reachable.hi + 1, result + 1, false, true});
  return all;
}

// Offsets that every bound allows, for accumulators below 0 and for the others. The lowest bound
// with a result covers all above it; the one below that covers all below.
struct Offsets {
  Interval above, below;
  Exact room() const { return std::min(above.hi - above.lo, below.hi - below.lo); }
};
Offsets offsets_for(const std::vector<Begin>& begins, const Interval& reachable, int shift,
                    Exact factor, bool one_offset) {
  const Exact end = power_of_two(100);
  Offsets all{{-end, end}, {-end, end}};
  const auto at_least = [&](Exact acc, Exact value) {
    if (!reachable.contains(acc)) return;
    Interval& side = acc < 0 ? all.below : all.above;
    side.lo = std::max(side.lo, value - acc * factor);
  };
  const auto less = [&](Exact acc, Exact value) {
    if (!reachable.contains(acc)) return;
    Interval& side = acc < 0 ? all.below : all.above;
    side.hi = std::min(side.hi, value - 1 - acc * factor);
  };
  for (const Begin& b : begins) {
    const Exact value = b.result * power_of_two(shift);
    if (b.from_above) {
      at_least(b.at, value);
      if (b.at < 0) at_least(0, value);
    }
    if (b.from_below) {
      less(b.at - 1, value);
      if (b.at - 1 >= 0) less(-1, value);
    }
  }
  if (one_offset)
    all.above =
        all.below = {std::max(all.above.lo, all.below.lo), std::min(all.above.hi, all.below.hi)};
  return all;
}

// Chooses the offsets; the same one on both sides if possible.
void choose_offsets(const Offsets& o, Exact wish, SlicedRule& rule) {
  const Interval both{std::max(o.above.lo, o.below.lo), std::min(o.above.hi, o.below.hi)};
  if (both.lo <= both.hi) {
    rule.offset = rule.offset_below = as_word(std::clamp(wish, both.lo, both.hi));
    return;
  }
  rule.offset = as_word(std::clamp(wish, o.above.lo, o.above.hi));
  rule.offset_below = as_word(std::clamp(wish, o.below.lo, o.below.hi));
}

// The factor with the most room: the room of each side is concave, and so is their minimum.
std::optional<SlicedRule> with_offsets(const std::vector<Begin>& begins, const Interval& reachable,
                                       SlicedRule rule, Exact wish, Exact low, Exact high,
                                       bool one_offset) {
  const auto offsets_of = [&](Exact factor) {
    return offsets_for(begins, reachable, rule.shift, factor, one_offset);
  };
  const Exact factor = peak(low, high, [&](Exact f) { return offsets_of(f).room(); });
  const Offsets offsets = offsets_of(factor);
  if (offsets.room() < 0) return std::nullopt;
  rule.factor = as_word(factor);
  choose_offsets(offsets, wish, rule);
  return rule;
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

bool is_equal(const Steps& steps, const SlicedRule& rule) {
  return apart(steps,
               steps_of([&](std::int64_t a) { return requantised(rule, a); }, steps.reachable))
      .empty();
}

double DoublingRule::scale() const {
  return std::ldexp(static_cast<double>(multiplier), -31 - shift);
}

void require_legal(const DoublingRule& r, const Interval& reachable) {
  const auto refuse = [](const std::string& wrong, const std::string& required) {
    throw DesignError({.code = Code::out_of_range, .wrong = wrong, .required = required});
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
  const auto begins = begins_of(steps, range);
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
    const SlicedRule form{.shift = shift, .zero_point = zero_point, .range = range};
    if (auto found = with_offsets(begins, steps.reachable, form, wish, low, high, one_offset))
      return found;
    const auto near = static_cast<Exact>(std::nearbyint(exact));
    if (near < 1 || near > most) continue;
    if (const auto even = even_rule(near, shift, zero_point, range); is_equal(steps, even))
      return even;
  }
  return std::nullopt;
}

SlicedRule nearest_rule(double scale, std::int64_t zero_point, const Interval& range,
                        int factor_bits, int most_shift) {
  int exponent = 0;
  auto factor = static_cast<std::int64_t>(
      std::nearbyint(std::ldexp(std::frexp(scale, &exponent), factor_bits)));
  int shift = factor_bits - exponent;
  for (; shift > 0 && factor % 2 == 0; --shift) factor /= 2;
  if (shift < 0 || shift > most_shift || factor >> factor_bits != 0)
    throw DesignError(
        Code::out_of_range,
        fmt::format(
            "a scale of {} is not possible as a factor of {} bits; its shift must be 0 to {}",
            scale, factor_bits, most_shift));
  return even_rule(factor, shift, zero_point, range);
}

}  // namespace kumiki::gen::arith
