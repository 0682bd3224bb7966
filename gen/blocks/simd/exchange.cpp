// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/simd/exchange.h"

#include "gen/hdl/lut.h"

namespace kumiki::gen::simd {

Ordered ordered(Scope& s, Net first_is_larger, const UInt& a, const UInt& b, SourceLocation here) {
  want_equal_widths("simd::ordered", a, b, here);
  static const Table both =
      table([](bool larger, bool x, bool y) { return pair(larger ? x : y, larger ? y : x); });
  const std::uint32_t n = a.width();
  std::vector<Net> in(n, first_is_larger);
  in.insert(in.end(), a.nets().begin(), a.nets().end());
  in.insert(in.end(), b.nets().begin(), b.nets().end());
  in.insert(in.end(), 2 * n, ir::net_zero);
  in.insert(in.end(), n, ir::net_one);
  // The table has three inputs; for more inputs it repeats.
  std::uint64_t init = 0;
  for (unsigned half : {0u, 32u})
    for (unsigned i = 0; i < 32; ++i) init |= (both.bits >> (half + i % 8) & 1) << (half + i);
  const Net out = s.cell(ir::Kind::lut6_2, n, in, std::span(&init, 1), s.at(here));
  return {.low = UInt(s.run(Net{out.index + n}, n, s.at(here))),
          .high = UInt(s.run(out, n, s.at(here)))};
}

}  // namespace kumiki::gen::simd
