// SPDX-License-Identifier: Apache-2.0
// A network as a program for an engine that exists, or with the engine of a device.
#pragma once
#include <cstdint>
#include <string>

#include "gen/device/fit.h"
#include "gen/flow/context.h"
#include "gen/graph/graph.h"
#include "gen/layers/engine/request.h"

namespace kumiki::flow {

// The only engine of a configuration that reads programs from a memory. UsageError: there is none.
gen::engine::Engine require_engine(const std::string& build, Context& context);
// The same with a network, for so many images at once. LimitError: it does not run the network, and
// why. `model`: what messages call the network.
gen::engine::Engine engine_with(const std::string& build, const gen::graph::Graph& graph,
                                const std::string& model, std::int64_t batch, Context& context);

// The engine that runs a network in the fewest clocks on at most four fifths of everything. It has
// memory ports, and its maps are in UltraRAM if the device has any. Netlists are built and counted.
// LimitError: there is none, and why.
struct FittedEngine {
  gen::engine::Request request;
  std::int64_t clocks = 0;  // an image, if the memory outside keeps nothing waiting
  gen::device::Fit fit;
};
FittedEngine fit_engine(const gen::graph::Graph& graph, const std::string& file,
                        const gen::device::Device& device, std::int64_t batch,
                        const ir::Context& context);

}  // namespace kumiki::flow
