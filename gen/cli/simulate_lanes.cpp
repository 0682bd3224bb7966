// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/simulate_lanes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

#include "backends/emit/report/report.h"
#include "backends/sim/native/machine.h"
#include "gen/layers/array/host.h"
#include "gen/layers/array/setup.h"
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

NetworkResult run_network_in_lanes(const gen::BuiltNetwork& network,
                                   backends::NativeSimulator& simulator, const NetworkRun& run,
                                   const NetworkOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const gen::BuiltLayer& layer = flow::built_layer(network, run.layer);
  ir::Activity activity("simulating in lanes");
  std::int64_t all_steps = 0;
  const SideBySide::Place place{layer.first_input_limb, layer.first_output_limb,
                                simulator.ports().input_limbs};
  const auto progress = [&](std::int64_t steps) {
    activity.at(fmt::format("{} % of {} steps", 100 * steps / all_steps, all_steps));
  };
  SideBySide all(run.program, run.inputs, place,
                 {.stalls = options.stalls, .seed = options.seed, .progress = progress});
  all_steps = all.all_steps();
  simulator.power_up();
  const auto wrong = all.run([&](std::span<const ir::Frame> in, std::span<ir::Frame> out) {
    simulator.set_frames(in);
    simulator.get_frames(out);
    simulator.clock();
  });
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

NetworkResult run_images_in_lanes(const gen::BuiltNetwork& network,
                                  backends::NativeSimulator& simulator, const NetworkRun& run,
                                  std::size_t images, const NetworkOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  flow::built_layer(network, run.layer);  // requires that the array exists
  ir::Activity activity(fmt::format("simulating {} images", images));
  backends::NativeLanes machine(simulator);
  const auto array = on_lanes(machine, run.layer + "_");
  ProgramMachine::Inputs inputs;
  for (std::size_t i = 0; i < images; ++i)
    inputs.push_back(i == 0 ? run.inputs : inputs_of(run.program, options.seed + (i << 32)));
  const std::int64_t predicted = predicted_clocks(run);
  const Played played = array->play(run.program, inputs, [&](std::int64_t clocks) {
    activity.at(
        fmt::format("{} % of {} clocks", 100 * clocks / std::max(clocks, predicted), predicted));
  });
  std::string wrong;
  for (std::size_t i = 0; i < images && wrong.empty(); ++i) {
    const auto right = reference(run.program, inputs[i]);
    for (std::size_t l = 0; l < right.size() && wrong.empty(); ++l)
      if (const auto d =
              first_difference(run.program.layers[l].job, right[l], played.results[i][l]))
        wrong = fmt::format("image {}, {}", i, *d);
  }
  NetworkResult result{.passed = wrong.empty(), .clocks = played.clocks};
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  Json layers = Json::array();
  for (std::size_t l = 0; l < played.measured.size(); ++l) {
    result.layer_clocks.push_back(played.measured[l].clocks);
    layers.push_back({{"name", run.program.layers[l].job.shape.name},
                      {"measured_clocks", played.measured[l].clocks},
                      {"predicted_clocks", run.program.layers[l].figures.clocks}});
  }
  result.report = {{"array", run.layer},      {"simulator", options.simulator},
                   {"passed", result.passed}, {"images", images},
                   {"clocks", played.clocks}, {"layers", layers}};
  if (!result.passed) {
    result.report["difference"] = wrong;
    fmt::print(stderr, "{}: {}: {}\n", run.layer, options.simulator, wrong);
  } else if (!options.quiet) {
    fmt::print("{} on {}: {} random images, {} clocks each, every result as defined; {:.1f} s\n",
               run.layer, options.simulator, images, played.clocks, result.seconds);
  }
  return result;
}

}  // namespace kumiki::cli
