// SPDX-License-Identifier: Apache-2.0
// And, Or, Xor, Not: half a LUT for each bit, or 48 bits in a slice.
#include <fmt/format.h>

#include "gen/hdl/lut.h"
#include "gen/layers/vision/pixel/fit.h"

namespace kumiki::gen::vision {
namespace {

simd::Logic function(Gate gate) {
  switch (gate) {
    case Gate::and_:
      return simd::Logic::and_;
    case Gate::or_:
      return simd::Logic::or_;
    case Gate::xor_:
      return simd::Logic::xor_;
    case Gate::not_:
      break;
  }
  return simd::Logic::not_;
}

UInt gate_in_luts(Scope& s, Gate gate, const UInt& a, const UInt& b) {
  switch (gate) {
    case Gate::and_:
      return s.word(a & b);
    case Gate::or_:
      return s.word(a | b);
    case Gate::xor_:
      return s.word(a ^ b);
    case Gate::not_:
      break;
  }
  return s.word(~a);
}

// Works on two's complement at the operands' width: an unsigned format has no bits above its own.
std::int64_t gate_value(Gate gate, std::int64_t a, std::int64_t b, const OperandFormat& format) {
  switch (gate) {
    case Gate::and_:
      return a & b;
    case Gate::or_:
      return a | b;
    case Gate::xor_:
      return a ^ b;
    case Gate::not_:
      break;
  }
  return format.is_signed ? ~a : (std::int64_t{1} << format.bits) - 1 - a;
}

}  // namespace

Recipe plan(const Bitwise& r, const Formats& f) {
  const bool unary = r.gate == Gate::not_, slices = in_slices(r.style);
  const OperandFormat widest = unary ? f[0] : common(f[0], f[1]);
  // Any bit pattern may result, so only the width of the result is known.
  const OperandFormat format{.bits = widest.bits, .is_signed = widest.is_signed};
  static constexpr const char* formulas[] = {"a & b", "a | b", "a ^ b", "~a"};
  Recipe recipe;
  recipe.formula = formulas[static_cast<int>(r.gate)];
  recipe.result = format;
  recipe.latency = slices ? static_cast<int>(simd::latency) : 1;
  recipe.value = [=, gate = r.gate](Numbers v) {
    return gate_value(gate, v[0], unary ? 0 : v[1], format);
  };
  recipe.make = [=, gate = r.gate](Scope& s, const std::vector<Words>& in, Net enable) {
    const Words a = resized(s, in[0], f[0], format.bits);
    const Words b = unary ? Words{} : resized(s, in[1], f[1], format.bits);
    if (slices) return simd::logic(s, {.enable = enable}, function(gate), a, b);
    Words out;
    for (std::size_t i = 0; i < a.size(); ++i)
      out.push_back(gate_in_luts(s, gate, a[i], unary ? a[i] : b[i]));
    return registered(s, out, enable);
  };
  return recipe;
}

}  // namespace kumiki::gen::vision
