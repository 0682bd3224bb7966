// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/run.h"

#include <algorithm>

#include "backends/sim/native/machine.h"
#include "ir/activity.h"

namespace kumiki::flow {

backends::StimulusOptions stimulus_of(const gen::BuiltNetwork& network) {
  backends::StimulusOptions stimulus{.constrain = gen::drive(network)};
  for (const gen::Numbers& n : gen::input_numbers(network))
    stimulus.fields[n.port].push_back({n.width, n.is_signed, n.low, n.bits});
  return stimulus;
}

backends::StimulusOptions stimulus_of(const Project& project, const Run& run) {
  const auto& s = project.document.simulation;
  auto stimulus = stimulus_of(project.network);
  stimulus.seed = run.seed.value_or(s.seed);
  stimulus.cycles = run.cycles.value_or(static_cast<std::uint64_t>(s.cycles));
  stimulus.stall = s.stall;
  stimulus.resets = static_cast<std::uint64_t>(s.resets);
  return stimulus;
}

backends::LockstepResult simulate(const Project& project, const Run& run) {
  const auto options = stimulus_of(project, run);
  backends::Stimulus stimulus(ir::layout(project.top()), options);
  backends::NativeMachine netlist(project.design());
  const auto model = gen::network_model(project.network);
  const ir::Activity doing("simulating with native");
  return backends::run_lockstep(*model, netlist, stimulus, {.cycles = options.cycles});
}

backends::MutationResult mutate(Project& project, std::size_t count, const Run& run) {
  constexpr std::size_t survivor_cycles = 2000;
  const auto ports = ir::layout(project.top());
  auto options = stimulus_of(project, run);
  const auto seed = options.seed;
  std::size_t cycles = 0;
  for (const gen::BuiltLayer& l : project.network.layers)
    cycles = std::max(cycles, l.layer->layer->clocks_of_drive());
  options.cycles = cycles;
  // Every run has its own stimulus, from the start and further on for survivors.
  std::vector<backends::Stimulus> runs;
  for (unsigned r = 0; r < backends::lane_count; ++r) {
    options.seed = seed * backends::lane_count + r;
    runs.emplace_back(ports, options);
  }
  return backends::try_mutations(
      project.builder.design(), [&] { return gen::network_model(project.network); },
      [&](unsigned r, std::size_t, ir::Frame& in) { runs[r].next(in); },
      {.seed = seed, .count = count, .cycles = cycles, .survivor_cycles = survivor_cycles});
}

}  // namespace kumiki::flow
