// SPDX-License-Identifier: Apache-2.0
// What a netlist and its model are fed with.
#pragma once
#include "backends/sim/lockstep/stimulus.h"
#include "gen/cli/cli.h"
#include "gen/cli/project.h"

namespace kumiki::cli {

// As the network's ports want it: legal operands, numbers side by side told apart.
backends::StimulusOptions stimulus_of(const gen::BuiltNetwork& network);
// And as the configuration says, unless the command line says otherwise.
backends::StimulusOptions stimulus_of(const Project& project, const Options& options);

}  // namespace kumiki::cli
