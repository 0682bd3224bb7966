// SPDX-License-Identifier: Apache-2.0
// Texts for people about a disagreement of the machines.
#pragma once
#include <string>
#include <string_view>

#include "backends/sim/lockstep/lockstep.h"
#include "ir/design.h"
#include "ir/names.h"

namespace kumiki::backends {

// The cell that drives a bit of an output of the top. The search goes through instances down to a
// primitive, or back up to an input of the top.
struct Driver {
  std::string path;  // "u0/acc_reg", names as in the Verilog; "" for inputs and constants
  std::string kind;  // "FDRE", "input a[3]", "constant 1"
  ir::PlaceId place;
};
Driver find_driver(const ir::Names& names, std::uint32_t output, std::uint32_t bit);

// The value of a port: "0x1f7 (-9)", "0b01x1…" when some bits are unknown.
std::string format_value(const ir::PortSlot& port, const std::vector<std::uint64_t>& limbs,
                         const std::vector<std::uint64_t>& unknown = {});

// One mismatch in a line: "cycle 37, y: expected 0x1f3 (499), got 0x1f7 (503), bit 2; driven by …"
std::string summary(const ir::Design& design, const Mismatch& mismatch);

// The full report in several lines; `machine` names the machine that differed from the model.
std::string report(const ir::Design& design, const LockstepResult& result,
                   std::string_view machine);

}  // namespace kumiki::backends
