// SPDX-License-Identifier: Apache-2.0
// What `sim` runs on Icarus. It runs on its own, from the first clock to the last, so where a host
// answers to outputs (the network of an array, a picture through filters) another simulator goes
// first and Icarus is fed what that one was fed.
#pragma once
#include "backends/sim/icarus/icarus.h"
#include "gen/cli/simulate.h"

namespace kumiki::cli {

// --with icarus, or --unisim: the netlist on the vendor's models.
bool on_icarus(const SimOptions& options);
std::string icarus_name(const SimOptions& options);  // "icarus", "vendor models"

// Every clock that was recorded once more. On stderr it says so before it is silent for a while.
backends::RecordedMachine replay(const Project& project, const backends::Recorder& recorder,
                                 const SimOptions& options, const std::string& what);

}  // namespace kumiki::cli
