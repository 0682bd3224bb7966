// SPDX-License-Identifier: Apache-2.0
// OpenVX's magnitude: sqrt(x^2 + y^2) to the nearest integer. Two slices square and add. The root
// comes digit by digit without restoring: one carry chain for each bit of the result, one LUT for
// each position.
#include <fmt/format.h>

#include <algorithm>

#include "gen/hdl/arithmetic.h"
#include "gen/hdl/dsp.h"
#include "gen/layers/vision/messages.h"
#include "gen/layers/vision/pixel/chain.h"
#include "gen/layers/vision/pixel/fit.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

constexpr int widest = dsp48e2.multiplier_b;  // of a signed operand: the slice's second factor
constexpr int sum_clocks = 4;                 // the second product waits one clock for the first

// The largest r with (r - 1/2)^2 < v, which is r (r - 1) < v, because v is an integer.
std::int64_t nearest_root(std::int64_t v) {
  std::int64_t root = 0;
  for (int bit = widest; bit >= 0; --bit) {
    const std::int64_t t = root | std::int64_t{1} << bit;
    if (t * (t - 1) < v) root = t;
  }
  return root;
}

// Bits of the root of 4 v, rounded down. Its last bit, below the result, decides the rounding.
int digits_of_root(std::int64_t highest) {
  int digits = 2;
  while (std::int64_t{1} << 2 * digits <= 4 * highest) ++digits;
  return digits;
}

UInt squares(Scope& s, const Formats& f, const UInt& x, const UInt& y, int bits, Net enable) {
  const auto product = [&](const UInt& word, const OperandFormat& format, std::uint16_t opmode,
                           const Word& below) {
    return Dsp48e2{
        .attributes = {.alumodereg = 0, .carryinselreg = 0, .inmodereg = 0, .opmodereg = 0},
        .a = resized(s, word, format, dsp48e2.a),
        .b = resized(s, word, format, widest),
        .pcin = below,
        .opmode = opmode,
        .enable = enable}
        .add_to(s);
  };
  const auto first = product(x, f[0], 0b000'01'01, {});
  const UInt later = registered(s, y, enable);
  const auto sum = product(later, f[1], 0b001'01'01, first.pcout);
  return UInt(Word(sum.p)).slice(0, static_cast<std::uint32_t>(bits));
}

// Step k has k bits of the root and the remainder, which may be negative; then the next step adds
// back. With d the next two bits of the radicand the next remainder is
//   4 rem + d - (4 root + 1)   or   4 rem + d + (4 root + 3):
// below bit 2 both are d + 3, above it rem - root - 1 or rem + root, and a carry if d is not 0. A
// digit is the inverse of the new remainder's sign, so the root is stored inverted.
UInt next_remainder(Scope& s, const UInt& remainder, const UInt& inverted, Net carry, Net enable) {
  const UInt root = cat(s, {s.constant(1, 1), inverted}), old = remainder.slice(0, root.width());
  return chained(s, {{remainder.msb()}, {old, root}}, carry, enable,
                 [&](const ChainInputs& in, Net below, bool more) {
                   const UInt p = lut_o6(
                       s, [](bool r, bool q, bool negative) { return r != (q != negative); },
                       SourceLocation::current(), in.words[0], in.words[1], in.nets[0]);
                   return chain_part(s, p, in.words[0], below, more);
                 });
}

UInt root_in_luts(Scope& s, const UInt& sum, int digits, Net enable) {
  std::uint32_t left = sum.width();  // bits of the radicand not yet used
  UInt rest = sum, inverted, remainder;
  for (int k = 1; k < digits; ++k) {
    const int clocks = chain_clocks(k);
    const Net d0 = rest[left - 2], d1 = rest[left - 1];
    const Net carry = s.net(d0 | d1);
    const UInt high = k == 1 ? registered(s, bits(s, {s.net(~carry)}), enable)
                             : next_remainder(s, remainder, inverted, carry, enable);
    const UInt low = bits(s, {s.net(~d0), s.net(~(d0 ^ d1))});
    const UInt sign = bits(s, {high.msb()});
    inverted = k == 1 ? sign : cat(s, {delayed(s, inverted, clocks, enable), sign});
    remainder = cat(s, {high, delayed(s, low, clocks, enable)});
    left -= 2;
    if (left > 0) rest = delayed(s, rest.slice(0, left), clocks, enable);
  }
  // The radicand is used up: the last digit decides the rounding.
  const UInt last = next_remainder(s, remainder, inverted, ir::net_zero, enable);
  const UInt root = delayed(s, inverted, chain_clocks(digits), enable);
  return chained(s, {{}, {root}}, s.net(~last.msb()), enable,
                 [&](const ChainInputs& in, Net up, bool more) {
                   const UInt p = lut_buffer(s, in.words[0], true, SourceLocation::current());
                   return chain_part(s, p, s.constant(0, p.width()), up, more);
                 });
}

int root_clocks(int digits) {
  int clocks = chain_clocks(digits - 1);  // of rounding
  for (int k = 1; k <= digits; ++k) clocks += chain_clocks(k);
  return clocks;
}

}  // namespace

Recipe plan_l2(const Magnitude& r, const Formats& f) {
  if (r.style == Style::luts)
    throw DesignError({.code = code::root_in_luts,
                       .key = "style",
                       .wrong = "the norm l2 squares in slices",
                       .required = "use style \"automatic\" or \"slices\""});
  for (const OperandFormat& one : f)
    if (one.bits + (one.is_signed ? 0 : 1) > widest)
      throw DesignError(code::root_too_wide,
                        fmt::format("magnitude l2 has operands {}; they must be at most S{} or U{}",
                                    to_string(one), widest, widest - 1));
  const auto square = [](const OperandFormat& format) {
    const Interval i = format.interval();
    const auto lo = static_cast<std::int64_t>(i.lo), hi = static_cast<std::int64_t>(i.hi);
    const std::int64_t least = lo > 0 ? lo : hi < 0 ? -hi : 0, most = std::max(hi, -lo);
    return std::pair(least * least, most * most);
  };
  const auto [x_least, x_most] = square(f[0]);
  const auto [y_least, y_most] = square(f[1]);
  const std::int64_t highest = x_most + y_most;
  const Fitting fitting({nearest_root(x_least + y_least), nearest_root(highest)}, r.fit, f[0]);
  const int digits = digits_of_root(highest);
  Recipe recipe;
  recipe.formula = "sqrt(a^2 + b^2)" + fitting.words();
  recipe.result = fitting.to;
  recipe.latency = sum_clocks + root_clocks(digits) + fitting.clocks();
  recipe.value = [=](Numbers v) { return fitting.value(nearest_root(v[0] * v[0] + v[1] * v[1])); };
  recipe.make = [=](Scope& s, const std::vector<Words>& in, Net enable) {
    Words roots;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      const UInt sum = squares(s, f, in[0][i], in[1][i], 2 * digits - 2, enable);
      roots.push_back(root_in_luts(s, sum, digits, enable));
    }
    return fitting.make(s, resized(s, roots, {.is_signed = false}, fitting.from.bits), enable);
  };
  return recipe;
}

}  // namespace kumiki::gen::vision
