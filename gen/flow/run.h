// SPDX-License-Identifier: Apache-2.0
// The netlist of a project beside its models: in lockstep, and with single cells changed.
#pragma once
#include <cstdint>
#include <optional>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/mutation/mutation.h"
#include "gen/flow/project.h"

namespace kumiki::flow {

// What the configuration says, unless it is said here.
struct Run {
  std::optional<std::uint64_t> seed, cycles;
};

// As the network's ports want it: legal operands, numbers side by side told apart.
backends::StimulusOptions stimulus_of(const gen::BuiltNetwork& network);
backends::StimulusOptions stimulus_of(const Project& project, const Run& run = {});

// On the native simulator. Other simulators: run_lockstep of backends/sim/lockstep/lockstep.h.
backends::LockstepResult simulate(const Project& project, const Run& run = {});

// Whether lockstep would see `count` netlists with one changed cell each. The design is changed
// meanwhile and put back.
backends::MutationResult mutate(Project& project, std::size_t count, const Run& run = {});

}  // namespace kumiki::flow
