// SPDX-License-Identifier: Apache-2.0
// Netlist and reference as one circuit. Registers and gates that always hold the same value are
// merged, on either side. ABC's signal correspondence does this by an induction over all of them
// together: two counters with equal values become one.
#pragma once
#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

// Two circuits with the same registers and ports; only the functions of their outputs differ.
struct Joint {
  Circuit gold, gate;
};

// Merges nothing if `seconds` are not enough.
Joint merged(const Circuit& gold, const Circuit& gate, unsigned seconds);

}  // namespace kumiki::backends::proof
