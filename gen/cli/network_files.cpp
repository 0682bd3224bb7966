// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/network_files.h"

#include <fmt/format.h>

#include <sstream>

#include "gen/cli/simulate_network.h"
#include "gen/layers/array/files.h"

namespace kumiki::cli {
namespace {

constexpr std::int64_t many_words = 2'000'000;

std::int64_t words(const gen::array::Program& program) {
  std::int64_t all = 0;
  for (const auto& l : program.layers)
    all += l.figures.individual_words + l.figures.common_words + l.figures.parameter_words;
  return all;
}

}  // namespace

void add_network_files(const Project& project, backends::OutputSet& files, bool whole) {
  for (const NetworkRun& run : network_runs(project, "", project.document.simulation.seed)) {
    const bool images = whole || words(run.program) <= many_words;
    if (!images)
      fmt::print(stderr,
                 "{}: its streams have {} words: images of weights and inputs only with --whole\n",
                 run.layer, words(run.program));
    for (const auto& file : gen::array::program_files(run.program, run.layer, run.inputs)) {
      const bool image = file.path.ends_with(".hex") && !file.path.ends_with("_registers.hex");
      if (image && !images) continue;
      std::ostringstream text;
      file.write(text);
      files.add(fmt::format("{}/{}", run.layer, file.path), text.str());
    }
  }
}

}  // namespace kumiki::cli
