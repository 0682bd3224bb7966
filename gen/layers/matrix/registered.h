// SPDX-License-Identifier: Apache-2.0
// Registers and delays that leave constants as they are, without cells.
#pragma once
#include "gen/hdl/hdl.h"

namespace kumiki::gen::matrix {

inline Net registered(Scope& s, Net n, Net enable,
                      SourceLocation here = SourceLocation::current()) {
  return n.is_constant() ? n : reg(s, n, {.enable = enable}, here);
}
inline UInt registered(Scope& s, const UInt& word, Net enable,
                       SourceLocation here = SourceLocation::current()) {
  std::vector<Net> nets;
  for (const Net n : word.nets()) nets.push_back(registered(s, n, enable, here));
  return bits(s, nets, here);
}

inline Net later(Scope& s, Net n, int clocks, SourceLocation here = SourceLocation::current()) {
  return n.is_constant() ? n : delay(s, n, static_cast<std::uint32_t>(clocks), ir::net_one, here);
}

}  // namespace kumiki::gen::matrix
