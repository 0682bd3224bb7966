// SPDX-License-Identifier: Apache-2.0
// What a host needs besides the netlist: the program of an array and the words of its streams, the
// weights that a pipeline reads from outside.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends/support/files.h"
#include "gen/flow/project.h"
#include "gen/layers/array/program.h"
#include "gen/layers/array/tensor.h"

namespace kumiki::flow {

struct NetworkRun {
  std::string layer;  // the array's name in the configuration
  gen::array::Program program;
  std::vector<std::optional<gen::array::Tensor>> inputs;
};

// The runs of every array in the configuration; with `only`, runs of that network layer alone.
// UsageError if no network has it.
std::vector<NetworkRun> network_runs(const Project& project, const std::string& only,
                                     std::uint64_t seed);
std::int64_t predicted_clocks(const NetworkRun& run);
const gen::BuiltLayer& built_layer(const gen::BuiltNetwork& network, const std::string& name);

// Adds files below the layer's name. Images of large networks' weights only come with `whole`;
// returns descriptions of what was left out.
std::vector<std::string> add_network_files(const Project& project, backends::OutputSet& files,
                                           bool whole);

}  // namespace kumiki::flow
