// SPDX-License-Identifier: Apache-2.0
// Runs the network of an array on its netlist, with units of it side by side in the 64 lanes of the
// native simulator. Every result is compared with the layer by definition.
#pragma once
#include "backends/sim/native/simulator.h"
#include "gen/cli/simulate_network.h"

namespace kumiki::cli {

NetworkResult run_network_in_lanes(const gen::BuiltNetwork& network,
                                   backends::NativeSimulator& simulator, const NetworkRun& run,
                                   const NetworkOptions& options);
// Runs the whole network with a random image in each lane; at most 64.
NetworkResult run_images_in_lanes(const gen::BuiltNetwork& network,
                                  backends::NativeSimulator& simulator, const NetworkRun& run,
                                  std::size_t images, const NetworkOptions& options);

}  // namespace kumiki::cli
