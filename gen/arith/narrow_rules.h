// SPDX-License-Identifier: Apache-2.0
// Rules of channels that share one slice, whose port is narrower than an accumulator. Most results
// are an end of their range, and they begin within a small part of the accumulators. So the port
// takes only these, without their lowest bits, and each value of the lowest bits has an offset of
// its own. float32 rounds a product that is near a tie to the tie, and the tie to the even
// neighbour. A rule does the same if the first bits of the fraction say that it is near. The few
// accumulators at which that is wrong too are exceptions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/steps.h"

namespace kumiki::gen::arith {

// With h = accumulator >> low_bits: (h * factor + offsets[accumulator mod 2^low_bits]) >> shift.
struct NarrowRule {
  std::int64_t factor = 1;
  int shift = 0;
  std::vector<std::int64_t> offsets;
  bool even = false;  // near a tie, the last bit makes the result even before the zero point
  friend bool operator==(const NarrowRule&, const NarrowRule&) = default;
};

struct NarrowRules {
  struct Exception {
    std::size_t channel;
    std::int64_t accumulator, result;
    friend bool operator==(const Exception&, const Exception&) = default;
  };
  int low_bits = 0;
  // A result is near a tie if so many bits below the shift are 0. It is then above the tie, and
  // becomes even by clearing the last bit. With an odd zero point they are 1, and the bit is set.
  int near_bits = 0;
  Interval held;  // accumulators; below it the result is the lowest, above it the highest
  std::int64_t zero_point = 0;
  Interval range{-128, 127};
  std::vector<NarrowRule> channels;
  std::vector<Exception> exceptions;
  std::vector<int> shifts() const;  // the different ones, the lowest first
  friend bool operator==(const NarrowRules&, const NarrowRules&) = default;
};
std::int64_t requantised(const NarrowRules& rules, std::size_t channel, std::int64_t accumulator);
std::string to_string(const NarrowRules& rules, std::size_t channel);

struct NarrowRequest {
  struct Channel {
    Steps steps;  // of accumulators
    double scale = 1;
  };
  std::vector<Channel> channels;
  std::int64_t zero_point = 0;
  Interval range{-128, 127};
  int port_bits, factor_bits, sum_bits;  // of a slice
  int most_low_bits;                     // more are taken only if the accumulators need them
};

// Rules with few shifts and exceptions, then with few bits of factors and offsets that differ. Each
// equals its steps at every reachable accumulator. Empty: a channel has none.
std::optional<NarrowRules> narrow_rules(const NarrowRequest& request);

}  // namespace kumiki::gen::arith
