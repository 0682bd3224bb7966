// SPDX-License-Identifier: Apache-2.0
// Netlist and reference as one circuit in which registers and gates that always hold the same value
// are merged, whichever side they are on. This is ABC's signal correspondence, an induction over
// all of them together: two counters that count alike become one.
#pragma once
#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

// Two circuits with the same registers and ports; only the functions of their outputs differ.
struct Joint {
  Circuit gold, gate;
};

// Nothing is merged when `seconds` are not enough.
Joint merged(const Circuit& gold, const Circuit& gate, unsigned seconds);

}  // namespace kumiki::backends::proof
