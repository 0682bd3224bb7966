// SPDX-License-Identifier: Apache-2.0
// Counts the slices that a netlist fills. Cells are put into slices by the rules of the families,
// as densely as a simple order of steps achieves, without regard to wires or the clock. Every
// counted slice can be built; a placer that spreads cells for its wires takes more.
//
// A quad has four positions, each with a LUT, a flip-flop behind its O6 or carry and one behind its
// O5. In UltraScale the latter can also read the carry. In the 7 series a quad is a slice and has
// one clock, enable and reset. In UltraScale two quads are a slice (CLB), with one carry chain or
// one each. A quad has one clock and reset, and an enable for each of its two rows of flip-flops.
// Signals from elsewhere reach a flip-flop, DI, the carry input and the select of a MUXF by
// bypasses: one a position in the 7 series, two in UltraScale.
#pragma once
#include <cstdint>

#include "backends/timing/netlist.h"

namespace kumiki::backends::fabric {

struct PackOptions {
  // Two LUTs with at most five inputs together share a site if they have a common net. Our netlists
  // make such pairs explicit with a LUT6_2; foreign netlists leave them to the placer.
  bool pairs = false;
};

struct Packed {
  std::uint64_t sites = 0;   // of LUTs: logic and memory, pairs as one, and feeds
  std::uint64_t feeds = 0;   // of these: bits on their way into a carry chain or a MUXF7
  std::uint64_t passed = 0;  // of these: free LUTs that pass signals to flip-flops
  std::uint64_t slices = 0;
};
Packed pack(const timing::Netlist& netlist, PackOptions options = {});

}  // namespace kumiki::backends::fabric
