// SPDX-License-Identifier: Apache-2.0
// A function of two numbers as a plane of integers: what two products, a sum and a clamp compute.
// The judge is a table of results; nobody has to know where it comes from, so sums in float32 and
// the rounding of their ties are in it like anything else.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/interval.h"

namespace kumiki::gen::pipeline {

// All pairs of numbers that are reached and what becomes of them.
struct Pairs {
  arith::Interval a, b;
  std::vector<std::int16_t> results;  // [a - lowest a][b - lowest b]
  bool operator==(const Pairs&) const = default;
};

// With u = factor_a * a + factor_b * b + offset: floor(u / 2^shift), clamped. Where ties go to the
// even neighbour, a u whose last `shift` bits are below 2^tie_bits is a tie: an odd number becomes
// the one below it, before the clamp. Float32 rounds before it looks for ties, so theirs may be
// some bits wide. A few pairs that float32 rounds to the other side of a plane are moved by half a
// number, up or down.
struct AddRule {
  struct Moved {
    std::int64_t a, b;
    bool up;
    bool operator==(const Moved&) const = default;
  };
  std::int64_t factor_a = 0, factor_b = 0, offset = 0;
  int shift = 0;
  std::optional<int> tie_bits;
  std::int64_t lowest = 0, highest = 0;  // of the clamp
  std::vector<Moved> moved;
  std::int64_t half() const { return (std::int64_t{1} << shift) / 2; }
  std::int64_t sum(std::int64_t a, std::int64_t b) const;
  std::int64_t unclamped(std::int64_t a, std::int64_t b) const;
  std::int64_t at(std::int64_t a, std::int64_t b) const;
  // (a * i + b * j) * m with i and j powers of two, one of them 1: a slice with its pre-adder.
  struct Single {
    std::int64_t factor;
    int shift_a, shift_b;
  };
  std::optional<Single> single() const;
  bool operator==(const AddRule&) const = default;
};
// "(a * 5 + b * 3 + 8) >> 4, (7, -2) half a number up, in [0, 255]"
std::string to_string(const AddRule& rule);

// The pairs for which the rule gives another number, the first `most` of them.
struct OtherPair {
  std::int64_t a, b, wanted, given;
};
std::vector<OtherPair> differences(const Pairs& pairs, const AddRule& rule, std::size_t most = 16);

// A rule that is equal for all pairs, clamped to `range`, with factors of up to `most_bits` bits
// and their sign: one of a single factor if there is one, one without ties before one with them,
// then the fewest bits. Every pair bounds the plane from below, from above or both: which planes
// are left is a convex region, and factors are looked for in it and nowhere else.
std::optional<AddRule> equal_rule(const Pairs& pairs, const arith::Interval& range,
                                  int most_bits = 26);

}  // namespace kumiki::gen::pipeline
