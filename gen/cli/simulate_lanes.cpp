// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/simulate_lanes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

#include "backends/emit/report/report.h"
#include "backends/sim/native/machine.h"
#include "gen/layers/array/side_by_side.h"
#include "ir/activity.h"

namespace kumiki::cli {
namespace {

using namespace gen::array;

void print_units(const NetworkRun& run, const SideBySide& all, double seconds) {
  std::vector<std::vector<std::string>> rows{{"layer", "steps", "units", "clocks of all units"}};
  std::int64_t clocks = 0;
  for (std::size_t l = 0; l < run.program.layers.size(); ++l) {
    const ProgramLayer& layer = run.program.layers[l];
    rows.push_back({layer.job.shape.name, std::to_string(layer.figures.steps),
                    std::to_string(all.layers()[l].units), std::to_string(all.layers()[l].clocks)});
    clocks += all.layers()[l].clocks;
  }
  rows.push_back(
      {"all", std::to_string(all.steps()), std::to_string(all.units()), std::to_string(clocks)});
  fmt::print("{}{} clocks of {} lanes in {:.1f} s\n", backends::table(rows), all.clocks(),
             SideBySide::lanes, seconds);
}

}  // namespace

NetworkResult run_network_in_lanes(const gen::BuiltNetwork& network, const ir::Design& design,
                                   const NetworkRun& run, const NetworkOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const gen::BuiltLayer& layer = built_layer(network, run.layer);
  ir::Activity activity("simulating in lanes");
  std::int64_t all_steps = 0;
  const SideBySide::Place place{layer.first_input_limb, layer.first_output_limb,
                                ir::layout(design.top()).input_limbs};
  const auto progress = [&](std::int64_t steps) {
    activity.at(fmt::format("{} % of {} steps", 100 * steps / all_steps, all_steps));
  };
  SideBySide all(run.program, run.inputs, place,
                 {.stalls = options.stalls, .seed = options.seed, .progress = progress});
  all_steps = all.all_steps();
  backends::NativeMachines machines(design);
  machines.power_up();
  const auto wrong = all.run(
      [&](std::span<const ir::Frame> in, std::span<ir::Frame> out) { machines.step(in, out); });
  NetworkResult result{.passed = !wrong, .clocks = all.clocks()};
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  Json layers = Json::array();
  for (std::size_t l = 0; l < run.program.layers.size(); ++l) {
    const auto& [units, clocks] = all.layers()[l];
    result.layer_clocks.push_back(clocks);
    layers.push_back({{"name", run.program.layers[l].job.shape.name},
                      {"steps", run.program.layers[l].figures.steps},
                      {"units", units},
                      {"measured_clocks", clocks}});
  }
  result.report = {{"array", run.layer},      {"simulator", options.simulator},
                   {"passed", result.passed}, {"lanes", SideBySide::lanes},
                   {"units", all.units()},    {"steps", all.steps()},
                   {"clocks", all.clocks()},  {"stalls_of_256", options.stalls},
                   {"layers", layers}};
  if (wrong) {
    result.report["difference"] = *wrong;
    fmt::print(stderr, "{}: {}: {}\n", run.layer, options.simulator, *wrong);
  } else if (!options.quiet && options.table) {
    print_units(run, all, result.seconds);
    fmt::print("{} on {}: every result of every unit as defined\n", run.layer, options.simulator);
  }
  return result;
}

}  // namespace kumiki::cli
