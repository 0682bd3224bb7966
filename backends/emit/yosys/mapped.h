// SPDX-License-Identifier: Apache-2.0
// Converts a netlist that Yosys has mapped to primitives into a design, to count and time it by the
// same rules as ours.
#pragma once
#include <memory>
#include <string>

#include "ir/design.h"

namespace kumiki::backends {

// Reads a flat module of Yosys' JSON. Skips primitives for which we have no cell (other memories,
// registers with another reset). Their outputs become inputs, their inputs outputs.
std::unique_ptr<ir::Design> mapped_design(const std::string& yosys_json, const std::string& module,
                                          ir::Family family);

}  // namespace kumiki::backends
