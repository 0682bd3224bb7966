// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/pixel/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/hdl/arithmetic.h"
#include "gen/hdl/state.h"
#include "gen/layers/vision/messages.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

OperandFormat with_range(OperandFormat format, const Interval& values) {
  if (!(values == format.format().range()))
    format.range = {static_cast<std::int64_t>(values.lo), static_cast<std::int64_t>(values.hi)};
  return format;
}

}  // namespace

OperandFormat format_of(const Interval& values) {
  const bool is_signed = values.lo < 0;
  const int bits = arith::signed_bits(values) - (is_signed ? 0 : 1);
  return with_range({.bits = std::max(bits, 1), .is_signed = is_signed}, values);
}

OperandFormat common(const OperandFormat& a, const OperandFormat& b) {
  return format_of(arith::hull(a.format().range(), b.format().range()));
}

UInt resized(Scope& s, const UInt& word, const OperandFormat& format, int bits) {
  const auto width = static_cast<std::uint32_t>(bits);
  if (width <= word.width()) return word.slice(0, width);
  return format.is_signed ? UInt(sext(s, SInt(Word(word)), width)) : zext(s, word, width);
}

Words resized(Scope& s, const Words& words, const OperandFormat& format, int bits) {
  Words out;
  for (const UInt& w : words) out.push_back(resized(s, w, format, bits));
  return out;
}

Fitting::Fitting(const Interval& exact, const Fit& fit, const OperandFormat& first_operand)
    : from(format_of(exact)), to(from) {
  if (fit.overflow == Overflow::exact) {
    if (fit.bits != 0)
      throw DesignError(
          {.code = code::exact_with_bits,
           .key = "bits",
           .wrong = fmt::format("an exact result takes no width, but {} bits are given", fit.bits),
           .required = "remove \"bits\", or set \"overflow\" to \"wrap\" or \"saturate\""});
    return;
  }
  to = {.bits = fit.bits ? fit.bits : first_operand.bits,
        .is_signed = fit.bits ? fit.is_signed : first_operand.is_signed};
  to.validate("result", 1);
  const Interval limits = to.format().range();
  if (exact.within(limits)) {
    to = with_range(to, exact);
    return;
  }
  saturates = fit.overflow == Overflow::saturate;
  if (saturates)
    to = with_range(to, {std::clamp(exact.lo, limits.lo, limits.hi),
                         std::clamp(exact.hi, limits.lo, limits.hi)});
}

std::string Fitting::words() const {
  if (saturates) return fmt::format(", saturated");
  return from.interval().within(to.format().range()) ? "" : ", wrapped";
}

std::int64_t Fitting::value(std::int64_t exact) const {
  const Interval limits = to.format().range();
  const auto lo = static_cast<std::int64_t>(limits.lo), hi = static_cast<std::int64_t>(limits.hi);
  if (saturates) return std::clamp(exact, lo, hi);
  const std::int64_t modulus = std::int64_t{1} << to.bits;
  return ((exact - lo) % modulus + modulus) % modulus + lo;
}

namespace {

// Signed input and output: if a bit above differs from the sign, the other bits become the inverse
// of the sign.
UInt saturated(Scope& s, const UInt& w, std::uint32_t width) {
  const Net sign = w.msb();
  Bit over = ir::net_zero;
  for (std::uint32_t at = width - 1; at + 1 < w.width(); at += 5) {
    Bit differs = ir::net_zero;
    for (std::uint32_t i = at; i < std::min(at + 5, w.width() - 1); ++i) differs |= w[i] ^ sign;
    over |= s.net(differs);
  }
  const UInt low = s.word(mux(over, ~sign, w.slice(0, width - 1)));
  return cat(s, {bits(s, {sign}), low});
}

}  // namespace

Words Fitting::make(Scope& s, const Words& exact, Net enable) const {
  if (!saturates) return resized(s, exact, from, to.bits);
  const auto width = static_cast<std::uint32_t>(to.bits);
  Words out;
  for (const UInt& w : exact) {
    UInt fitted;
    if (from.is_signed && to.is_signed)
      fitted = saturated(s, w, width);
    else if (from.is_signed)
      fitted = saturate_unsigned(s, SInt(Word(w)), width);
    else
      fitted = zext(s, saturate(s, w, to.is_signed ? width - 1 : width), width);
    out.push_back(registered(s, fitted, enable));
  }
  return out;
}

UInt registered(Scope& s, const UInt& word, Net enable) {
  std::vector<Net> kept(word.nets().begin(), word.nets().end()), moving;
  for (const Net n : kept)
    if (!n.is_constant()) moving.push_back(n);
  const UInt q = reg(s, bits(s, moving), {.enable = enable});
  std::uint32_t next = 0;
  for (Net& n : kept)
    if (!n.is_constant()) n = q[next++];
  return bits(s, kept);
}

Words registered(Scope& s, const Words& words, Net enable) {
  Words out;
  for (const UInt& w : words) out.push_back(registered(s, w, enable));
  return out;
}

UInt delayed(Scope& s, UInt word, int clocks, Net enable) {
  for (int i = 0; i < clocks; ++i) word = registered(s, word, enable);
  return word;
}

Words delayed(Scope& s, Words words, int clocks, Net enable) {
  for (int i = 0; i < clocks; ++i) words = registered(s, words, enable);
  return words;
}

simd::Options slice_options(const OperandFormat& format, int extra, Net enable) {
  return {.lanes = simd::lanes_for(static_cast<std::uint32_t>(format.bits + extra)),
          .enable = enable,
          .is_signed = format.is_signed};
}

}  // namespace kumiki::gen::vision
