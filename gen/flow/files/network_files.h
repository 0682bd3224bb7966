// SPDX-License-Identifier: Apache-2.0
// What a host needs beside the netlist of an array: its program and the words of its streams.
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

// Runs of every array in the configuration. With `only`, runs of that layer of a network alone;
// UsageError where no network has it.
std::vector<NetworkRun> network_runs(const Project& project, const std::string& only,
                                     std::uint64_t seed);
std::int64_t predicted_clocks(const NetworkRun& run);
const gen::BuiltLayer& built_layer(const gen::BuiltNetwork& network, const std::string& name);

// Below the array's name. Images of weights of large networks only with `whole`: what was left out
// comes back in words.
std::vector<std::string> add_network_files(const Project& project, backends::OutputSet& files,
                                           bool whole);

}  // namespace kumiki::flow
