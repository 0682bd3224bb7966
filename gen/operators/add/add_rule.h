// SPDX-License-Identifier: Apache-2.0
// A function of two numbers as an integer plane: two products, a sum and a clamp compute it. A
// table of results defines the function, so the table also contains the roundings of float32 sums
// and ties.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/interval.h"
#include "ir/arch.h"

namespace kumiki::gen::pipeline {

// All pairs of numbers that can occur, and their results.
struct Pairs {
  arith::Interval a, b;
  std::vector<std::int16_t> results;  // [a - lowest a][b - lowest b]
  bool operator==(const Pairs&) const = default;
};

// With u = factor_a * a + factor_b * b + offset, the result is floor(u / 2^shift), clamped. With
// `tie_bits`, ties go to the even neighbour: if the last `shift` bits of u are below 2^tie_bits, an
// odd number becomes the one below it, before the clamp. Float32 rounds before it looks for ties,
// so its ties may be several bits wide. `moved`: the few pairs that float32 rounds to the other
// side of the plane; they move half a number up or down.
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
  // The rule as (a * i + b * j) * m, where i and j are powers of two and one of them is 1: one
  // slice with its pre-adder computes it.
  struct Single {
    std::int64_t factor;
    int shift_a, shift_b;
  };
  std::optional<Single> single() const;
  bool operator==(const AddRule&) const = default;
};
// "(a * 5 + b * 3 + 8) >> 4, (7, -2) half a number up, in [0, 255]"
std::string to_string(const AddRule& rule);

// The first `most` pairs for which the rule gives a wrong number.
struct OtherPair {
  std::int64_t a, b, wanted, given;
};
std::vector<OtherPair> differences(const Pairs& pairs, const AddRule& rule, std::size_t most = 16);

// A rule that is exact for all pairs, clamped to `range`, with factors of up to `most_bits` bits
// and a sign. Rules with a single factor come first, then those without ties, then those with the
// fewest bits. Every pair bounds the plane from below, from above or both, so the possible planes
// form a convex region. The search looks only inside it.
std::optional<AddRule> equal_rule(const Pairs& pairs, const arith::Interval& range,
                                  int most_bits = ir::arch::dsp48e2.factor_bits());

}  // namespace kumiki::gen::pipeline
