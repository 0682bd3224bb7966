// SPDX-License-Identifier: Apache-2.0
// The requests for operations on single pixels, with OpenVX's names. An operation with one operand
// works on every channel. One with two takes the channels of one image and then as many of another,
// or one image and a constant. Results are exact and as wide as they need to be, unless the request
// gives a format for them.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "gen/arith/rounding.h"

namespace kumiki::gen::vision {

// `automatic` uses no slice: pixel operations are small in LUTs, and slices pay off only in designs
// with some to spare.
enum class Style : std::uint8_t { automatic, luts, slices };

enum class Overflow : std::uint8_t { exact, wrap, saturate };

// The result's format; by default that of the first operand (`saturate` and `wrap`).
struct Fit {
  Overflow overflow = Overflow::exact;
  int bits = 0;
  bool is_signed = false;
};

struct Add {
  Fit fit = {};
  std::optional<std::int64_t> constant = {};
  Style style = Style::automatic;
};
struct Subtract {
  Fit fit = {};
  std::optional<std::int64_t> constant = {};
  Style style = Style::automatic;
};
struct AbsDiff {
  std::optional<std::int64_t> constant = {};
  Style style = Style::automatic;
};
enum class End : std::uint8_t { minimum, maximum };
struct Extreme {  // OpenVX Min, Max
  End end = End::minimum;
  std::optional<std::int64_t> constant = {};
  Style style = Style::automatic;
};
enum class Gate : std::uint8_t { and_, or_, xor_, not_ };
struct Bitwise {  // And, Or, Xor of two operands, Not of one
  Gate gate = Gate::and_;
  std::optional<std::int64_t> constant = {};
  Style style = Style::automatic;
};

// The second image is the accumulator. The result has its format and saturates.
struct Accumulate {
  Style style = Style::automatic;
};
// (alpha * input + (2^shift - alpha) * accumulator) / 2^shift, halves up.
struct AccumulateWeighted {
  int alpha = 1, shift = 4;  // 0 <= alpha <= 2^shift
  Style style = Style::automatic;
};

struct Threshold {  // x > value, or low <= x <= high if both are given
  std::int64_t value = 127;
  std::optional<std::int64_t> low = {}, high = {};
  std::int64_t true_value = 255, false_value = 0;
  Style style = Style::automatic;
};

struct Abs {
  Style style = Style::automatic;
};
enum class Norm : std::uint8_t { l1, max, l2 };
struct Magnitude {  // x| + |y|, the larger of the two, or OpenVX's: sqrt(x^2 + y^2), nearest
  Norm norm = Norm::l1;
  Fit fit = {};
  Style style = Style::automatic;
};

// (multiplier * x + addend) / 2^shift, rounded, + offset; saturated if `bits` is given.
struct Scale {
  std::int64_t multiplier = 1;
  std::int64_t addend = 0;  // for divisions that would otherwise be wrong below zero
  int shift = 0;
  std::int64_t offset = 0;
  Rounding rounding = Rounding::half_up;
  int bits = 0;
  bool is_signed = false;
  Style style = Style::automatic;
};

struct ChannelSelect {  // channels in any order, more than once, or left out: extract and combine
  std::vector<int> channels = {0};
};

using PixelRequest =
    std::variant<Add, Subtract, AbsDiff, Extreme, Bitwise, Accumulate, AccumulateWeighted,
                 Threshold, Abs, Magnitude, Scale, ChannelSelect>;

}  // namespace kumiki::gen::vision
