// SPDX-License-Identifier: Apache-2.0
// Exact intervals of integers. Every claim of a plan compares a sum or a product of intervals with
// a width. Nothing is rounded, and a bound beyond 128 bits throws instead of wrapping.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "ir/ceil_div.h"

namespace kumiki::gen::arith {

// NOLINTNEXTLINE(modernize-use-using): __extension__ stands before no using
__extension__ typedef __int128 Exact;

inline Exact add(Exact a, Exact b) {
  Exact r;
  if (__builtin_add_overflow(a, b, &r)) throw std::overflow_error("interval: sum beyond 128 bits");
  return r;
}
inline Exact sub(Exact a, Exact b) {
  Exact r;
  if (__builtin_sub_overflow(a, b, &r)) throw std::overflow_error("interval: sum beyond 128 bits");
  return r;
}
inline Exact mul(Exact a, Exact b) {
  Exact r;
  if (__builtin_mul_overflow(a, b, &r))
    throw std::overflow_error("interval: product beyond 128 bits");
  return r;
}
inline Exact power_of_two(int exponent) {
  if (exponent < 0 || exponent > 126) throw std::overflow_error("interval: power beyond 128 bits");
  return Exact{1} << exponent;
}
// Division that rounds down, also for negative numerators.
inline Exact floor_div(Exact a, Exact b) {
  const Exact q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
using kumiki::ceil_div;

struct Interval {
  Exact lo = 0;
  Exact hi = 0;

  static Interval point(Exact value) { return {value, value}; }
  bool contains(Exact value) const { return lo <= value && value <= hi; }
  bool within(const Interval& bound) const { return bound.lo <= lo && hi <= bound.hi; }
  Exact span() const { return sub(hi, lo); }
  friend bool operator==(const Interval&, const Interval&) = default;
};

inline Interval operator+(const Interval& a, const Interval& b) {
  return {add(a.lo, b.lo), add(a.hi, b.hi)};
}
inline Interval operator+(const Interval& a, Exact b) { return a + Interval::point(b); }
inline Interval operator-(const Interval& a) { return {sub(0, a.hi), sub(0, a.lo)}; }
inline Interval operator-(const Interval& a, const Interval& b) { return a + -b; }
inline Interval operator-(const Interval& a, Exact b) { return a - Interval::point(b); }
inline Interval operator*(const Interval& a, const Interval& b) {
  const auto [lo, hi] =
      std::minmax({mul(a.lo, b.lo), mul(a.lo, b.hi), mul(a.hi, b.lo), mul(a.hi, b.hi)});
  return {lo, hi};
}
// The interval times one number: one unknown value, scaled.
inline Interval operator*(const Interval& a, Exact factor) { return a * Interval::point(factor); }
inline Interval shifted(const Interval& a, int bits) { return a * power_of_two(bits); }
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

inline Interval signed_range(int bits) {
  return {-power_of_two(bits - 1), power_of_two(bits - 1) - 1};
}
inline Interval unsigned_range(int bits) { return {0, power_of_two(bits) - 1}; }

// Bits of the narrowest two's complement word that holds every value.
inline int signed_bits(const Interval& a) {
  int bits = 1;
  while (!a.within(signed_range(bits))) ++bits;
  return bits;
}
// Bits needed to distinguish `count` different values.
inline int bits_for_count(Exact count) {
  int bits = 0;
  while (power_of_two(bits) < count) ++bits;
  return bits;
}

std::string to_string(Exact value);
std::string to_string(const Interval& value);  // "[-130048, 131072]", "131071" for a point

}  // namespace kumiki::gen::arith
