// SPDX-License-Identifier: Apache-2.0
// Building blocks of networks; each appends to a Wiring.
#pragma once
#include "gen/blocks/sort/network.h"

namespace kumiki::gen::sort {

using Wires = std::vector<int>;

// The odd-even merge of two ascending lists of any lengths.
Wires merged(Wiring& wiring, const Wires& a, const Wires& b);

// The value of `rank` among all values of some ascending lists. Drops values as soon as they are
// known to be too small or too large.
int selected(Wiring& wiring, const std::vector<Wires>& lists, int rank);

// The smallest (or largest) of every `size` neighbours among size + pixels - 1 wires. Computes
// parts that windows share only once.
Wires sliding(Wiring& wiring, const Wires& wires, int size, bool largest);

}  // namespace kumiki::gen::sort
