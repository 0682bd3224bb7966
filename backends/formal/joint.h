// SPDX-License-Identifier: Apache-2.0
// Netlist and reference as one circuit, in which registers and gates that always hold the same are
// one, on whatever side they stand: ABC's signal correspondence, an induction over all of them
// together. What is left of two counters is one counter.
#pragma once
#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

// Two circuits of the same registers and ports: they differ in what stands at the outputs.
struct Joint {
  Circuit gold, gate;
};

// When `seconds` do not last nothing is merged.
Joint merged(const Circuit& gold, const Circuit& gate, unsigned seconds);

}  // namespace kumiki::backends::proof
