// SPDX-License-Identifier: Apache-2.0
// How many slices a netlist fills: cells are put into slices by the rules of the families, as
// densely as a simple order of steps gets them, without a look at wires or at the clock. A slice
// that this counts can be built; a placer that spreads cells for its wires takes more.
//
// A quad is four positions, each with a LUT, a flip-flop behind its O6 or carry and one behind its
// O5; in UltraScale that one sees the carry too. In the 7 series a quad is a slice and has one
// clock, enable and reset. In UltraScale two quads are a slice (CLB), with one carry chain or one
// each; a quad has one clock and reset, and an enable for each of its two rows of flip-flops. What
// comes from elsewhere reaches a flip-flop, DI, the carry input and the select of a MUXF by
// bypasses: one a position in the 7 series, two in UltraScale.
#pragma once
#include <cstdint>

#include "backends/timing/netlist.h"

namespace kumiki::backends::fabric {

struct PackOptions {
  // Two LUTs that see five nets together share a site where they have one in common. Our netlists
  // say so themselves, with a LUT6_2; foreign ones leave it to the placer.
  bool pairs = false;
};

struct Packed {
  std::uint64_t sites = 0;   // of LUTs: logic and memory, pairs as one, and feeds
  std::uint64_t feeds = 0;   // of these: a bit on its way into a carry chain or a MUXF7
  std::uint64_t passed = 0;  // of these: free LUTs that let signals through to flip-flops
  std::uint64_t slices = 0;
};
Packed pack(const timing::Netlist& netlist, PackOptions options = {});

}  // namespace kumiki::backends::fabric
