// SPDX-License-Identifier: Apache-2.0
// Images through a network on the netlist of an engine, or on its model.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "gen/flow/context.h"
#include "gen/flow/trained/results.h"
#include "gen/layers/engine/request.h"

namespace kumiki::flow {

struct OnEngine {
  const gen::engine::Engine& engine;  // with a program
  std::string machine;                // model, native or verilator
  ir::Family family = ir::Family::ultrascale_plus;
  unsigned threads = 0;  // of the definition; 0: one for each processor
  unsigned jobs = 0;     // concurrent compilers; 0: one for each processor
  // Clocks in which nothing moves on either stream, at most. An operation takes its words for every
  // four pixels of every tile, and no more than these.
  std::int64_t patience = 100'000'000;
};

// The stream of every image brings the weights again. Natively up to 64 images run side by side.
// Returns the clocks of an image.
// DesignError: a result differs from the definition, or nothing moves any more. Interrupted.
std::int64_t compute_on_engine(const OnEngine& on, std::span<const std::int32_t> images,
                               std::size_t count, std::span<TensorNumbers> wanted,
                               Context& context);

}  // namespace kumiki::flow
