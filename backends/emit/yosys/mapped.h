// SPDX-License-Identifier: Apache-2.0
// What Yosys has mapped to primitives, as a design of ours: counted and timed by one rule with
// what we make.
#pragma once
#include <memory>
#include <string>

#include "ir/design.h"

namespace kumiki::backends {

// A flat module of Yosys' JSON. Primitives that we have no cell for (other memories, registers with
// another reset) are left out: what they drive becomes an input, what they read an output.
std::unique_ptr<ir::Design> mapped_design(const std::string& yosys_json, const std::string& module,
                                          ir::Family family);

}  // namespace kumiki::backends
