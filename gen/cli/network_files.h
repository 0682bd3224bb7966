// SPDX-License-Identifier: Apache-2.0
// What a host needs beside the netlist of an array: its program and the words of its streams.
#pragma once
#include "backends/support/files.h"
#include "gen/cli/options.h"

namespace kumiki::cli {

// Below the array's name. Images of weights of large networks only with `whole`.
void add_network_files(const Project& project, backends::OutputSet& files, bool whole);

}  // namespace kumiki::cli
