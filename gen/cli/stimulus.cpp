// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/stimulus.h"

namespace kumiki::cli {

backends::StimulusOptions stimulus_of(const Project& project, const Options& options) {
  const auto& s = project.document.simulation;
  backends::StimulusOptions stimulus{
      .seed = options.seed.value_or(s.seed),
      .cycles = options.cycles.value_or(static_cast<std::uint64_t>(s.cycles)),
      .stall = s.stall,
      .resets = static_cast<std::uint64_t>(s.resets),
      .constrain = gen::drive(project.network)};
  for (const gen::Numbers& n : gen::numbers(project.network))
    stimulus.fields[n.port] = {n.width, n.is_signed};
  return stimulus;
}

}  // namespace kumiki::cli
