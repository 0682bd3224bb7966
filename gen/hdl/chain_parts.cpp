// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/chain_parts.h"

namespace kumiki::gen {

UInt sum_part(Scope& s, const UInt& a, const UInt& b, Net carry, bool subtracts, bool more,
              SourceLocation here) {
  if (!more) return UInt(detail::add(s, a, b, carry, subtracts, here));
  // One more position on top, whose sum bit is the carry.
  const UInt none = s.constant(0, 1), top = s.constant(subtracts ? 1 : 0, 1);
  return UInt(detail::add(s, cat(s, {none, a}), cat(s, {top, b}), carry, subtracts, here));
}

}  // namespace kumiki::gen
