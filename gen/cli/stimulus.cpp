// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/stimulus.h"

namespace kumiki::cli {

backends::StimulusOptions stimulus_of(const gen::BuiltNetwork& network) {
  backends::StimulusOptions stimulus{.constrain = gen::drive(network)};
  for (const gen::Numbers& n : gen::input_numbers(network))
    stimulus.fields[n.port].push_back({n.width, n.is_signed, n.low, n.bits});
  return stimulus;
}

backends::StimulusOptions stimulus_of(const Project& project, const Options& options) {
  const auto& s = project.document.simulation;
  auto stimulus = stimulus_of(project.network);
  stimulus.seed = options.seed.value_or(s.seed);
  stimulus.cycles = options.cycles.value_or(static_cast<std::uint64_t>(s.cycles));
  stimulus.stall = s.stall;
  stimulus.resets = static_cast<std::uint64_t>(s.resets);
  return stimulus;
}

}  // namespace kumiki::cli
