// SPDX-License-Identifier: Apache-2.0
// Compares two netlists, whatever the numbers of their nets, the order of their cells and the names
// of their cells, signals and modules. Ports are the interface: their order, names, widths and
// signs count, and so do all parameters and initial contents.
#pragma once
#include <optional>
#include <string>

#include "ir/design.h"

namespace kumiki::ir {

// The first difference on the way from the outputs to the inputs, with its path: "output y[3] <-
// FDRE.D <- LUT6.I2: LUT6 against LUT5". Empty if there is none.
//
// Every net has one driver and the pins of a cell are ordered, so the walk has no choice and takes
// linear time. Cells that reach no output are compared by hashes of their neighbourhood; the same
// hashes order several drivers of one net.
std::optional<std::string> first_difference(const Design& first, const Design& second);

inline bool isomorphic(const Design& first, const Design& second) {
  return !first_difference(first, second);
}

}  // namespace kumiki::ir
