// SPDX-License-Identifier: Apache-2.0
// Formats of results, and how words are made to fit them.
#pragma once
#include "gen/blocks/simd/simd.h"
#include "gen/layers/vision/pixel/recipe.h"

namespace kumiki::gen::vision {

using arith::Interval;

// The narrowest format that holds all values of an interval, without a sign where none is negative.
OperandFormat format_of(const Interval& values);
// The narrowest format that holds all values of both.
OperandFormat common(const OperandFormat& a, const OperandFormat& b);

// A word of a format read as one of another width: extended by its sign, or cut.
UInt resized(Scope& s, const UInt& word, const OperandFormat& format, int bits);
Words resized(Scope& s, const Words& words, const OperandFormat& format, int bits);

// How an exact result becomes the format that the request wants.
struct Fitting {
  OperandFormat from, to;
  bool saturates = false;  // else it is cut or extended, which costs nothing

  Fitting(const Interval& exact, const Fit& fit, const OperandFormat& first_operand);
  int clocks() const { return saturates ? 1 : 0; }
  std::string words() const;  // "", ", saturated to U8"
  std::int64_t value(std::int64_t exact) const;
  Words make(Scope& s, const Words& exact, Net enable) const;  // of from.bits
};

// A flip-flop for every bit that is not a constant.
UInt registered(Scope& s, const UInt& word, Net enable);
Words registered(Scope& s, const Words& words, Net enable);
UInt delayed(Scope& s, UInt word, int clocks, Net enable);  // in flip-flops
Words delayed(Scope& s, Words words, int clocks, Net enable);

// The options of slices for operands of a format whose results need `extra` bits more.
simd::Options slice_options(const OperandFormat& format, int extra, Net enable);

inline bool in_slices(Style style) { return style == Style::slices; }

}  // namespace kumiki::gen::vision
