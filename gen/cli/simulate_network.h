// SPDX-License-Identifier: Apache-2.0
// Runs the network of an array on its netlist with a host at the ports. Every output is compared
// with the model in every clock, and every result with the layer by definition.
#pragma once
#include <nlohmann/json.hpp>

#include "gen/cli/options.h"
#include "gen/flow/files/network_files.h"

namespace kumiki::cli {

using flow::NetworkRun;

// FileError if no layer is an array; `option` only applies to its network.
void require_network(const Project& project, const std::string& file, const std::string& option);

struct NetworkResult {
  bool passed = false;
  double seconds = 0;
  std::int64_t clocks = 0;
  std::vector<std::int64_t> layer_clocks;
  Json report;
};
struct NetworkOptions {
  std::string simulator;
  int stalls = 0;  // in 256 clocks, on every stream
  std::uint64_t seed = 1;
  bool quiet = false;
  bool table = true;  // print the figures of every layer
};
// `machine` has the ports of `top`; the array's ports are some of them.
NetworkResult run_network(const gen::BuiltNetwork& network, const ir::Module& top,
                          const NetworkRun& run, ir::Machine& machine,
                          const NetworkOptions& options);

}  // namespace kumiki::cli
