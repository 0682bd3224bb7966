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
};

// Image after image; its stream brings the weights again. Returns the clocks of an image.
// DesignError: a result differs from the definition, or nothing moves any more. Interrupted.
std::int64_t compute_on_engine(const OnEngine& on, std::span<const std::int32_t> images,
                               std::size_t count, std::span<TensorNumbers> wanted,
                               Context& context);

}  // namespace kumiki::flow
