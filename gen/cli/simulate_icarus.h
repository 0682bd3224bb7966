// SPDX-License-Identifier: Apache-2.0
// Runs `sim` on Icarus. Icarus runs alone from the first clock to the last. If a host reacts to
// outputs (the network of an array, a picture through filters), another simulator goes first and
// Icarus replays its inputs.
#pragma once
#include "backends/sim/icarus/icarus.h"
#include "gen/cli/simulate.h"

namespace kumiki::cli {

// For --with icarus, or for --unisim: the netlist on the vendor's models.
bool on_icarus(const SimOptions& options);
std::string icarus_name(const SimOptions& options);  // "icarus", "vendor models"

// Replays every recorded clock. Announces itself on stderr, because it is silent for a while.
backends::RecordedMachine replay(const Project& project, const backends::Recorder& recorder,
                                 const SimOptions& options, const std::string& what);

}  // namespace kumiki::cli
