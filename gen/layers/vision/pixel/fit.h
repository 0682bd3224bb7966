// SPDX-License-Identifier: Apache-2.0
// Formats of results, and functions that fit words to them.
#pragma once
#include "gen/blocks/simd/simd.h"
#include "gen/layers/vision/pixel/recipe.h"

namespace kumiki::gen::vision {

using arith::Interval;

// The narrowest format for all values of an interval; unsigned if none is negative.
OperandFormat format_of(const Interval& values);
// The narrowest format for all values of both.
OperandFormat common(const OperandFormat& a, const OperandFormat& b);

// A word of a format at another width: extended by its sign, or cut.
UInt resized(Scope& s, const UInt& word, const OperandFormat& format, int bits);
Words resized(Scope& s, const Words& words, const OperandFormat& format, int bits);

// How an exact result is fitted to the requested format.
struct Fitting {
  OperandFormat from, to;
  bool saturates = false;  // otherwise cutting or extending costs nothing

  Fitting(const Interval& exact, const Fit& fit, const OperandFormat& first_operand);
  int clocks() const { return saturates ? 1 : 0; }
  std::string words() const;  // "", ", saturated to U8"
  std::int64_t value(std::int64_t exact) const;
  Words make(Scope& s, const Words& exact, Net enable) const;  // `exact` has from.bits
};

// A flip-flop for every bit that is not a constant.
UInt registered(Scope& s, const UInt& word, Net enable);
Words registered(Scope& s, const Words& words, Net enable);
UInt delayed(Scope& s, UInt word, int clocks, Net enable);  // in flip-flops
Words delayed(Scope& s, Words words, int clocks, Net enable);

// Slice options for operands of a format whose results need `extra` more bits.
simd::Options slice_options(const OperandFormat& format, int extra, Net enable);

inline bool in_slices(Style style) { return style == Style::slices; }

}  // namespace kumiki::gen::vision
