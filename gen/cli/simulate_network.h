// SPDX-License-Identifier: Apache-2.0
// The network of an array on its netlist: a host at the ports, every output compared with the model
// in every clock, every result with the layer by definition.
#pragma once
#include <nlohmann/json.hpp>

#include "gen/cli/options.h"
#include "gen/layers/array/program.h"
#include "gen/layers/array/tensor.h"

namespace kumiki::cli {

struct NetworkRun {
  std::string layer;  // the array's name in the configuration
  gen::array::Program program;
  std::vector<std::optional<gen::array::Tensor>> inputs;
};

// FileError when no layer is an array: `option` of the command is for its network alone.
void require_network(const Project& project, const std::string& file, const std::string& option);

// Runs of every array in the configuration. With `only`, runs of that layer of a network alone; one
// of the networks must have it.
std::vector<NetworkRun> network_runs(const Project& project, const std::string& only,
                                     std::uint64_t seed);
std::int64_t predicted_clocks(const NetworkRun& run);
const gen::BuiltLayer& built_layer(const gen::BuiltNetwork& network, const std::string& name);

struct NetworkResult {
  bool passed = false;
  double seconds = 0;
  std::int64_t clocks = 0;
  std::vector<std::int64_t> layer_clocks;
  Json report;
};
struct NetworkOptions {
  std::string simulator;
  int stalls = 0;  // of 256 clocks, on every stream
  std::uint64_t seed = 1;
  bool quiet = false;
  bool table = true;  // figures of every layer
};
// `machine` has the ports of `top`, of which the array's are a part.
NetworkResult run_network(const gen::BuiltNetwork& network, const ir::Module& top,
                          const NetworkRun& run, ir::Machine& machine,
                          const NetworkOptions& options);

}  // namespace kumiki::cli
