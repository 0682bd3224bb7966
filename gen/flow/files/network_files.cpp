// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/network_files.h"

#include <fmt/format.h>

#include <sstream>

#include "gen/flow/usage.h"
#include "gen/layers/array/files.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/setup.h"

namespace kumiki::flow {
namespace {

constexpr std::int64_t many_words = 2'000'000;

std::int64_t words(const gen::array::Program& program) {
  std::int64_t all = 0;
  for (const auto& l : program.layers)
    all += l.figures.individual_words + l.figures.common_words + l.figures.parameter_words;
  return all;
}

}  // namespace

const gen::BuiltLayer& built_layer(const gen::BuiltNetwork& network, const std::string& name) {
  for (const gen::BuiltLayer& l : network.layers)
    if (l.layer->name == name) return l;
  throw DesignError(code::unknown_name, fmt::format("{} is not a layer of the netlist", name));
}

std::int64_t predicted_clocks(const NetworkRun& run) {
  std::int64_t all = 0;
  for (const gen::array::ProgramLayer& l : run.program.layers) all += l.figures.clocks;
  return all;
}

std::vector<NetworkRun> network_runs(const Project& project, const std::string& only,
                                     std::uint64_t seed) {
  std::vector<NetworkRun> runs;
  std::string legal;
  for (const gen::NamedLayer& layer : project.layers) {
    const gen::array::Program* program = gen::array::program_of(*layer.layer);
    if (program == nullptr) continue;
    NetworkRun run{.layer = layer.name, .program = {program->plan, {}}};
    std::string names;
    for (const gen::array::ProgramLayer& l : program->layers) {
      const std::string& name = l.job.shape.name;
      names += (names.empty() ? "" : ", ") + name;
      if (only.empty() || name == only) run.program.layers.push_back(l);
    }
    legal += fmt::format("{}{} of {}", legal.empty() ? "" : ", ", names, layer.name);
    if (run.program.layers.empty()) continue;
    run.inputs = gen::array::inputs_of(run.program, seed);
    runs.push_back(std::move(run));
  }
  if (!only.empty() && runs.empty())
    throw UsageError(code::unknown_name,
                     fmt::format("--layer {}: no network has such a layer; use {}", only, legal));
  return runs;
}

std::vector<std::string> add_network_files(const Project& project, backends::OutputSet& files,
                                           bool whole) {
  for (const gen::NamedLayer& layer : project.layers)
    for (auto& [name, bytes] : layer.layer->files())
      files.add(fmt::format("{}/{}", layer.name, name), std::move(bytes));
  std::vector<std::string> left_out;
  for (const NetworkRun& run : network_runs(project, "", project.document.simulation.seed)) {
    const bool images = whole || words(run.program) <= many_words;
    if (!images)
      left_out.push_back(fmt::format(
          "{}: its streams have {} words: images of weights and inputs only with --whole",
          run.layer, words(run.program)));
    for (const auto& file : gen::array::program_files(run.program, run.layer, run.inputs)) {
      const bool image = file.path.ends_with(".hex") && !file.path.ends_with("_registers.hex");
      if (image && !images) continue;
      std::ostringstream text;
      file.write(text);
      files.add(fmt::format("{}/{}", run.layer, file.path), text.str());
    }
  }
  return left_out;
}

}  // namespace kumiki::flow
