// SPDX-License-Identifier: Apache-2.0
// The network of an array on its netlist: a host at the ports, every output compared with the model
// in every clock, every result with the layer by definition.
#pragma once
#include <nlohmann/json.hpp>

#include "gen/cli/options.h"
#include "gen/flow/files/network_files.h"

namespace kumiki::cli {

using flow::NetworkRun;

// FileError when no layer is an array: `option` of the command is for its network alone.
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
