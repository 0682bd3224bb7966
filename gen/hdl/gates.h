// SPDX-License-Identifier: Apache-2.0
// The gates that control logic asks for again and again, by name.
#pragma once
#include <initializer_list>
#include <span>

#include "gen/hdl/lut.h"

namespace kumiki::gen {

inline Net both(Scope& s, Net a, Net b, SourceLocation here = SourceLocation::current()) {
  return lut(
      s, [](bool x, bool y) { return x && y; }, a, b, here);
}
inline Net either(Scope& s, Net a, Net b, SourceLocation here = SourceLocation::current()) {
  return lut(
      s, [](bool x, bool y) { return x || y; }, a, b, here);
}
inline Net but_not(Scope& s, Net a, Net b, SourceLocation here = SourceLocation::current()) {
  return lut(
      s, [](bool x, bool y) { return x && !y; }, a, b, here);
}

inline Net all_of(Scope& s, std::initializer_list<Net> in,
                  SourceLocation here = SourceLocation::current()) {
  return all_of(s, std::span<const Net>(in.begin(), in.size()), here);
}

}  // namespace kumiki::gen
