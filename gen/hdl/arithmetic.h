// SPDX-License-Identifier: Apache-2.0
// Arithmetic on LUTs and the family's carry primitive. Widths never change silently: `add` and
// `sub` wrap at their width, the `_wide` forms give the exact result with one bit more.
#pragma once
#include "gen/arith/rounding.h"
#include "gen/hdl/lut.h"
#include "gen/hdl/scope.h"

namespace kumiki::gen {

// The carry chain itself: sum[i] = s[i] ^ c[i], c[i+1] = s[i] ? c[i] : di[i], c[0] = carry_in. Uses
// CARRY4 or CARRY8 by family. `s` must come from LUTs, because the device has no other path to it.
struct CarryOut {
  UInt sum;
  Net carry;  // out of the last position; use it only if the last sum bit is unused (they
              // share one way out of the slice)
};
CarryOut carry_chain(Scope& s, const Word& propagate, const Word& di, Net carry_in,
                     SourceLocation here = SourceLocation::current());

namespace detail {
Word add(Scope& s, const Word& a, const Word& b, Net carry_in, bool subtract, SourceLocation here);
Word increment(Scope& s, const Word& a, Net by, SourceLocation here);
Net at_least(Scope& s, const Word& a, const Word& b, bool is_signed, bool strictly,
             SourceLocation here);
}  // namespace detail

// a + b (+ carry_in), modulo 2^width.
template <AnyWord W>
W add(Scope& s, const W& a, const W& b, Net carry_in = ir::net_zero,
      SourceLocation here = SourceLocation::current()) {
  return W(detail::add(s, a, b, carry_in, false, here));
}
// a - b, modulo 2^width.
template <AnyWord W>
W sub(Scope& s, const W& a, const W& b, SourceLocation here = SourceLocation::current()) {
  return W(detail::add(s, a, b, ir::net_one, true, here));
}
UInt add_wide(Scope& s, const UInt& a, const UInt& b, Net carry_in = ir::net_zero,
              SourceLocation here = SourceLocation::current());
SInt add_wide(Scope& s, const SInt& a, const SInt& b, Net carry_in = ir::net_zero,
              SourceLocation here = SourceLocation::current());
SInt sub_wide(Scope& s, const UInt& a, const UInt& b,
              SourceLocation here = SourceLocation::current());
SInt sub_wide(Scope& s, const SInt& a, const SInt& b,
              SourceLocation here = SourceLocation::current());
SInt negate(Scope& s, const SInt& a,
            SourceLocation here = SourceLocation::current());  // wraps at -2^(w-1)
SInt negate_wide(Scope& s, const SInt& a,
                 SourceLocation here = SourceLocation::current());  // one bit more
// a + 1 when `by` is 1.
template <AnyWord W>
W increment(Scope& s, const W& a, Net by = ir::net_one,
            SourceLocation here = SourceLocation::current()) {
  return W(detail::increment(s, a, by, here));
}
// What a count is in the next clock: one more, one less, or the same if it is both or neither.
UInt step_by_one(Scope& s, const UInt& count, Net more, Net less,
                 SourceLocation here = SourceLocation::current());

// Comparison by two digits a carry position.
template <AnyWord W>
Net less(Scope& s, const W& a, const W& b, SourceLocation here = SourceLocation::current()) {
  return detail::at_least(s, b, a, std::is_same_v<W, SInt>, true, here);
}
// Of words whose sign is known when the hardware is made.
inline Net less(Scope& s, const UInt& a, const UInt& b, bool are_signed,
                SourceLocation here = SourceLocation::current()) {
  return are_signed ? less(s, as_signed(a), as_signed(b), here) : less(s, a, b, here);
}
template <AnyWord W>
Net at_least(Scope& s, const W& a, const W& b, SourceLocation here = SourceLocation::current()) {
  return detail::at_least(s, a, b, std::is_same_v<W, SInt>, false, here);
}
Net equals(Scope& s, const Word& a, const Word& b, SourceLocation here = SourceLocation::current());
Net equals(Scope& s, const UInt& a, std::uint64_t b,
           SourceLocation here = SourceLocation::current());
struct Comparison {
  Net less, equal;
};
template <AnyWord W>
Comparison compare(Scope& s, const W& a, const W& b,
                   SourceLocation here = SourceLocation::current()) {
  return {less(s, a, b, here), equals(s, a, b, here)};
}

// Barrel shifters; bits shifted in are 0, or the sign.
UInt shift_left(Scope& s, const UInt& a, const UInt& by,
                SourceLocation here = SourceLocation::current());
UInt shift_right(Scope& s, const UInt& a, const UInt& by,
                 SourceLocation here = SourceLocation::current());
SInt shift_right(Scope& s, const SInt& a, const UInt& by,
                 SourceLocation here = SourceLocation::current());

// The nearest value that fits `width` bits.
SInt saturate(Scope& s, const SInt& a, std::uint32_t width,
              SourceLocation here = SourceLocation::current());
UInt saturate(Scope& s, const UInt& a, std::uint32_t width,
              SourceLocation here = SourceLocation::current());
UInt saturate_unsigned(Scope& s, const SInt& a, std::uint32_t width,
                       SourceLocation here = SourceLocation::current());  // negative becomes 0

// a / 2^drop, rounded; one bit more than the remaining ones, which rounding up may need.
SInt round(Scope& s, const SInt& a, std::uint32_t drop, Rounding mode,
           SourceLocation here = SourceLocation::current());

// The number of ones: 6:3 counters and adders. The compressor generator does better for wide
// inputs.
UInt popcount(Scope& s, const UInt& a, SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen
