// SPDX-License-Identifier: Apache-2.0
// What a netlist and its model are fed with: the configuration's wishes, unless the command line
// says otherwise.
#pragma once
#include "backends/lockstep/stimulus.h"
#include "gen/cli/cli.h"
#include "gen/cli/project.h"

namespace kumiki::cli {

backends::StimulusOptions stimulus_of(const Project& project, const Options& options);

}  // namespace kumiki::cli
