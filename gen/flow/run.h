// SPDX-License-Identifier: Apache-2.0
// Compares the netlist of a project with its models: in lockstep, and with single changed cells.
#pragma once
#include <cstdint>
#include <optional>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/mutation/mutation.h"
#include "gen/flow/project.h"

namespace kumiki::flow {

// Overrides the configuration.
struct Run {
  std::optional<std::uint64_t> seed, cycles;
};

// Options that suit the network's ports: valid operands, numbers packed into words.
backends::StimulusOptions stimulus_of(const gen::BuiltNetwork& network);
backends::StimulusOptions stimulus_of(const Project& project, const Run& run = {});

// Uses the native simulator. For other simulators: run_lockstep of
// backends/sim/lockstep/lockstep.h.
backends::LockstepResult simulate(const Project& project, const Run& run = {});

// Whether lockstep detects each of `count` netlists with one changed cell. Changes the design
// meanwhile and restores it.
backends::MutationResult mutate(Project& project, std::size_t count, const Run& run = {});

}  // namespace kumiki::flow
