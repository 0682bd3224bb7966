// SPDX-License-Identifier: Apache-2.0
// What a model answers to a stimulus, kept for simulators that run without us.
#pragma once
#include <cstdint>

#include "backends/emit/project/vectors.h"
#include "backends/sim/lockstep/stimulus.h"

namespace kumiki::backends {

// Runs the model from power-up and the stimulus from its first frame.
Vectors record_vectors(ir::Machine& model, Stimulus& stimulus, std::uint64_t cycles);

}  // namespace kumiki::backends
