// SPDX-License-Identifier: Apache-2.0
// A digit of three overlapping bits x, y, z (from high to low) is y + z - 2x, from -2 to 2. Its row
// is the digit times the other factor: inverted if the digit is negative, plus a one at its lowest
// bit.
#include "gen/blocks/compressor/booth.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gen/blocks/compressor/cell.h"

namespace kumiki::gen::compressor {
namespace {

constexpr bool is_negative(bool x, bool y, bool z) { return x && !(y && z); }
constexpr bool is_one(bool y, bool z) { return y != z; }
constexpr bool is_two(bool x, bool y, bool z) { return x != y && y == z; }

// A bit of a row; `one` and `two`: the bits of the factor that the row has for the digits 1 and 2.
constexpr bool row_bit(bool x, bool y, bool z, bool one, bool two) {
  return ((is_one(y, z) && one) || (is_two(x, y, z) && two)) != is_negative(x, y, z);
}

// The sum and the carry of the lowest bit of a row and the one that is added to it.
const Table& lowest() {
  static const Table t = table([](bool x, bool y, bool z, bool a) {
    const bool odd = is_one(y, z) && a;
    return pair(odd, is_negative(x, y, z) && !odd);
  });
  return t;
}
const Table& inner() {
  static const Table t =
      table([](bool x, bool y, bool z, bool one, bool two) { return row_bit(x, y, z, one, two); });
  return t;
}
// The highest bit of a row has no bit of the factor for digit 1. Above it there is only a sign,
// which counts negatively. The table inverts it, as the heap expects signs.
const Table& highest() {
  static const Table t = table([](bool x, bool y, bool z, bool a) {
    return pair(row_bit(x, y, z, false, a), !is_negative(x, y, z));
  });
  return t;
}
// For a signed factor, whose top bit repeats, the highest bit is the sign.
const Table& sign() {
  static const Table t =
      table([](bool x, bool y, bool z, bool a) { return !row_bit(x, y, z, a, a); });
  return t;
}

// The narrower factor gives the digits.
void multiply(Scope& s, Heap& heap, Word a, Word b, unsigned column, bool is_signed,
              SourceLocation here) {
  if (a.width() < b.width()) std::swap(a, b);
  const std::uint32_t top = a.width() - 1, digits_of = b.width();
  const auto of_digits = [&](std::int64_t i) {
    if (i < 0 || (i >= digits_of && !is_signed)) return plain(ir::net_zero);
    return plain(b[static_cast<std::uint32_t>(std::min<std::int64_t>(i, digits_of - 1))]);
  };
  s.remark("rows of a product, recoded");
  // An unsigned factor has a 0 bit above its top.
  for (std::uint32_t low = 0; low < digits_of + !is_signed; low += 2) {
    const Bit x = of_digits(low + 1), y = of_digits(low), z = of_digits(std::int64_t{low} - 1);
    const auto luts = [&](const Table& t, std::initializer_list<Net> of) {
      std::vector<Bit> in{x, y, z};
      for (const Net n : of) in.push_back(plain(n));
      return counter_lut(s, t, in, here);
    };
    const unsigned from = column + low;
    const auto down = [&](unsigned to, Net n) { heap.subtract(to, Bit{Bit::Form::inverted, n}); };
    const auto first = luts(lowest(), {a[0]});
    heap.add(from, first.o6);
    heap.add(from + 1, first.o5);
    for (std::uint32_t i = 1; i <= top; ++i) heap.add(from + i, luts(inner(), {a[i], a[i - 1]}).o6);
    if (is_signed) {
      down(from + top + 1, luts(sign(), {a[top]}).o6);
    } else {
      const auto last = luts(highest(), {a[top]});
      heap.add(from + top + 1, last.o6);
      down(from + top + 2, last.o5);
    }
  }
}

}  // namespace

void add_booth_product(Scope& s, Heap& heap, const UInt& a, const UInt& b, unsigned column,
                       SourceLocation here) {
  multiply(s, heap, a, b, column, false, here);
}
void add_booth_product(Scope& s, Heap& heap, const SInt& a, const SInt& b, unsigned column,
                       SourceLocation here) {
  multiply(s, heap, a, b, column, true, here);
}

}  // namespace kumiki::gen::compressor
