// SPDX-License-Identifier: Apache-2.0
// Rows of radix-4 digits. Digit k of y is -2*y[2k+1] + y[2k] + y[2k-1]. Its multiple of x is x, 2x
// or 0, inverted if y[2k+1] is set; the carry input completes the two's complement (all ones plus
// the carry is 0). Together with the sum of the previous rows, a position has six inputs.
#include "gen/layers/lut_macc/product.h"

#include <algorithm>

namespace kumiki::gen::lut_macc {
namespace {

// A number of which a stage keeps the bits from `low` on. Bits below `low` read as 0, bits above
// the top one as the sign.
struct Number {
  UInt bits;
  int low = 0;
  bool is_signed = false;

  Net at(int i) const {
    if (i < low) return ir::net_zero;
    if (i - low < static_cast<int>(bits.width())) return bits[static_cast<std::uint32_t>(i - low)];
    return is_signed ? bits.msb() : ir::net_zero;
  }
};

// The propagate input of a carry position must come from a LUT, even if folding left only a wire.
Net from_lut(Scope& s, Net found, std::initializer_list<Net> inputs) {
  const bool wire = std::find(inputs.begin(), inputs.end(), found) != inputs.end();
  if (!wire || found.is_constant()) return found;
  return lut_buffer(s, bits(s, {found}), false, SourceLocation::current())[0];
}

UInt row(Scope& s, const Number& x, const Number& y, const Number& before, int k, int width) {
  const Net negative = y.at(2 * k + 1), one = y.at(2 * k), below = y.at(2 * k - 1);
  std::vector<Net> propagate, kept;
  for (int i = 0; i < width; ++i) {
    const Net sum = before.at(2 * k + i), x0 = x.at(i), x1 = x.at(i - 1);
    const Net p = lut(
        s,
        [](bool t, bool a0, bool a1, bool n, bool o, bool b) {
          const bool multiple = o != b ? a0 : (n != o && a1);
          return t != (multiple != n);
        },
        sum, x0, x1, negative, one, below);
    propagate.push_back(from_lut(s, p, {sum, x0, x1, negative, one, below}));
    kept.push_back(sum);
  }
  return carry_chain(s, bits(s, propagate), bits(s, kept), negative).sum;
}

UInt registered(Scope& s, const UInt& word, Net enable) {
  return word.width() == 0 ? word : reg(s, word, {.enable = enable});
}

// The part of y that later rows still need.
Number rest(Scope& s, const Number& y, int from, Net enable) {
  const int end = y.low + static_cast<int>(y.bits.width());
  // Keep the top bit, because later rows may read above it.
  const int low = std::clamp(from, y.low, end - 1);
  const UInt kept =
      y.bits.slice(static_cast<std::uint32_t>(low - y.low), static_cast<std::uint32_t>(end - low));
  return {registered(s, kept, enable), low, y.is_signed};
}

}  // namespace

UInt product(Scope& s, const Plan& p, const UInt& a, const UInt& b, Net enable) {
  Number x{p.recode_a ? b : a, 0, p.multiplicand().is_signed};
  Number y{p.recode_a ? a : b, 0, p.digits().is_signed};
  // All bits of the product so far: the final ones, then the last row, whose top bit is the sign.
  Number total{s.constant(0, 1), 0, false};
  for (int k = 0; k < p.rows; ++k) {
    const UInt sum = row(s, x, y, total, k, p.row_width(k));
    const auto done = static_cast<std::uint32_t>(2 * k);
    total = {k == 0 ? sum : cat(s, {sum, total.bits.slice(0, done)}), 0, true};
    const bool last = k + 1 == p.rows;
    if (!last && (k + 1) % p.request.rows_per_stage != 0) continue;
    total.bits = registered(s, total.bits, enable);
    if (last) break;
    x.bits = registered(s, x.bits, enable);
    y = rest(s, y, 2 * k + 1, enable);
  }
  return total.bits;
}

}  // namespace kumiki::gen::lut_macc
