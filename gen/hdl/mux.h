// SPDX-License-Identifier: Apache-2.0
// Choosing: 2:1 in half a LUT, 4:1 in a LUT6, 8:1 and 16:1 with MUXF7 and MUXF8.
#pragma once
#include <span>

#include "gen/hdl/lut.h"

namespace kumiki::gen {

Net mux(Scope& s, Net choose, Net when_one, Net when_zero,
        SourceLocation here = SourceLocation::current());

template <AnyWord W>
W mux(Scope& s, Net choose, const W& when_one, const W& when_zero,
      SourceLocation here = SourceLocation::current()) {
  want_equal_widths("mux", when_one, when_zero, here);
  return W(Word(lut(
      s, [](bool c, bool one, bool zero) { return c ? one : zero; }, choose, UInt(when_one),
      UInt(when_zero), here)));
}

namespace detail {
UInt select(Scope& s, const UInt& index, std::vector<UInt> items, SourceLocation here);
}

// items[index]. An index past the end gives the last item.
template <AnyWord W>
W select(Scope& s, const UInt& index, std::span<const W> items,
         SourceLocation here = SourceLocation::current()) {
  std::vector<UInt> plain;
  for (const W& w : items) plain.push_back(UInt(w));
  return W(Word(detail::select(s, index, std::move(plain), here)));
}

}  // namespace kumiki::gen
