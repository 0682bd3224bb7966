// SPDX-License-Identifier: Apache-2.0
// `sim`: the netlist in lockstep with the model of every layer, on one or two simulators.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "backends/emit/report/page.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/lockstep/waveform.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/cli/network_files.h"
#include "gen/cli/output.h"
#include "gen/cli/page.h"
#include "gen/cli/simulate_icarus.h"
#include "gen/cli/simulate_image.h"
#include "gen/cli/simulate_network.h"
#include "gen/flow/run.h"
#include "ir/activity.h"

namespace kumiki::cli {
namespace {

std::function<void(std::uint64_t)> progress(const std::string& simulator, std::uint64_t cycles) {
  const auto doing = std::make_shared<ir::Activity>("simulating with " + simulator);
  return [=](std::uint64_t done) {
    doing->at(fmt::format("{} % of {} cycles", 100 * done / cycles, cycles));
  };
}

Json to_json(const std::string& simulator, const backends::StimulusOptions& s,
             const backends::LockstepResult& r, const Project& project,
             const std::string& command) {
  Json mismatches = Json::array();
  for (const auto& m : r.first) mismatches.push_back(backends::summary(project.design(), m));
  return {{"simulator", simulator},
          {"passed", r.passed()},
          {"seed", s.seed},
          {"cycles", r.cycles},
          {"comparisons", r.comparisons},
          {"stalls", r.stimulus.stalls},
          {"resets", r.stimulus.resets},
          {"corner_cycles", r.stimulus.corner_cycles},
          {"random_cycles", r.stimulus.random_cycles},
          {"output_bits", r.output_bits},
          {"moving_output_bits", r.moving_output_bits},
          {"mismatches", mismatches},
          {"command", command}};
}

class Simulation {
 public:
  Simulation(Project& project, const Options& options, backends::OutputSet& files)
      : project_(project),
        options_(options),
        files_(files),
        ports_(ir::layout(project.top())),
        stimulus_(flow::stimulus_of(project, run_of(options))),
        model_(gen::network_model(project.network)) {}

  bool run(const std::string& name, ir::Machine& machine) {
    auto result = lockstep(name, machine);
    if (result.passed()) return true;
    backends::Stimulus stimulus(ports_, stimulus_);
    auto wave = backends::record_waveform(
        project_.design(), result.first.front(), stimulus,
        {.may_verilate = name == "verilator", .verilator = {.cache = options_.context->cache()}});
    files_.add("mismatch.vcd", wave.vcd);
    if (!wave.shows_mismatch)
      fmt::print(stderr, "{}: {} agrees with the model in that cycle; mismatch.vcd shows it\n",
                 name, wave.simulator);
    return false;
  }

  bool run_icarus() {
    const std::string& unisim = options_.unisim;
    auto netlist = backends::verilog_netlist(project_.design());
    auto inputs = backends::frames(ports_, stimulus_, stimulus_.cycles);
    backends::RecordedMachine machine(inputs,
                                      backends::run_icarus(netlist, inputs, {.unisim = unisim}));
    auto result = lockstep(icarus_name(options_), machine);
    if (result.passed()) return true;
    auto cycle = result.first.front().cycle;
    inputs.resize(std::min<std::uint64_t>(inputs.size(), cycle + 8));
    auto again = backends::run_icarus(
        netlist, inputs,
        {.unisim = unisim,
         .window = {{cycle - std::min<std::uint64_t>(cycle, 32), inputs.size() - 1}}});
    files_.add("mismatch.vcd", again.vcd);
    return false;
  }

  bool mutate(std::size_t count) {
    const auto result = flow::mutate(project_, count, run_of(options_));
    Json missed = Json::array(), equivalent = Json::array();
    for (const auto& m : result.missed) missed.push_back(backends::to_string(project_.design(), m));
    for (const auto& m : result.equivalent)
      equivalent.push_back(backends::to_string(project_.design(), m));
    mutations_ = {
        {"tried", result.tried},
        {"caught_by_check", result.by_check},
        {"caught_by_lockstep", result.by_lockstep},
        {"caught_fraction", result.caught()},
        {"missed", missed},
        {"no_difference_found", equivalent},
        {"command", command_line(options_, "sim",
                                 fmt::format("--with native --seed {} --cycles {} --mutate {}",
                                             stimulus_.seed, stimulus_.cycles, count))}};
    for (const auto& m : result.missed)
      fmt::print(stderr, "missed: {}\n", backends::to_string(project_.design(), m));
    fmt::print(stderr,
               "mutations: {} tried, {} caught by check, {} by lockstep, {} missed, {} without any "
               "difference\n",
               result.tried, result.by_check, result.by_lockstep, result.missed.size(),
               result.equivalent.size());
    return result.caught() >= backends::mutations_to_catch;
  }

  void add_to(Json& report) const {
    if (!runs_.empty()) report["lockstep"] = runs_;
    if (!mutations_.is_null()) report["mutations"] = mutations_;
  }

 private:
  backends::LockstepResult lockstep(const std::string& name, ir::Machine& machine) {
    backends::Stimulus stimulus(ports_, stimulus_);
    auto result = backends::run_lockstep(
        *model_, machine, stimulus,
        {.cycles = stimulus_.cycles, .progress = progress(name, stimulus_.cycles)});
    runs_.push_back(to_json(name, stimulus_, result, project_, repeat(name)));
    if (!result.passed())
      fmt::print(stderr, "{}", backends::report(project_.design(), result, name));
    return result;
  }

  // With the vendor's models the folder is the user's own.
  std::string repeat(const std::string& name) const {
    return command_line(options_, "sim",
                        fmt::format("{} --seed {} --cycles {}",
                                    name == "vendor models" ? "--unisim DIR" : "--with " + name,
                                    stimulus_.seed, stimulus_.cycles));
  }

  Project& project_;
  const Options& options_;
  backends::OutputSet& files_;
  ir::PortLayout ports_;
  backends::StimulusOptions stimulus_;
  std::unique_ptr<ir::Machine> model_;
  Json runs_ = Json::array(), mutations_;
};

// Icarus runs hundreds of clocks a second where the others run thousands.
std::int64_t usual_clocks(const Options& options) {
  return on_icarus(options) ? 20'000 : 1'000'000;
}

// What runs on the arrays of the configuration.
bool run_networks(const Project& project, const Options& options, const std::string& simulator,
                  ir::Machine& machine, Json& report) {
  const std::uint64_t seed = options.seed.value_or(project.document.simulation.seed);
  bool passed = true;
  Json runs = Json::array();
  for (const NetworkRun& run : network_runs(project, options.layer, seed)) {
    // With the model alone there is nothing else to run, with --layer nothing shorter.
    const bool asked_for = options.whole || simulator == "model";
    if (predicted_clocks(run) > usual_clocks(options) && !asked_for) {
      fmt::print(stderr,
                 "{}: its network takes {} clocks: --whole runs it, --layer NAME one layer of it\n",
                 run.layer, predicted_clocks(run));
      continue;
    }
    const auto run_on = [&](const std::string& name, ir::Machine& on) {
      try {
        const auto result = run_network(
            project.network, project.top(), run, on,
            {.simulator = name, .stalls = options.stalls, .seed = seed, .quiet = options.json});
        runs.push_back(result.report);
        passed = passed && result.passed;
        return result.passed;
      } catch (const DesignError& e) {  // a stream of results that breaks its own rules
        throw DesignError(fmt::format("{}: {}: {}", run.layer, name, e.what()));
      }
    };
    if (!on_icarus(options)) {
      run_on(simulator, machine);
      continue;
    }
    backends::Recorder recorder(machine);
    if (!run_on(simulator, recorder)) continue;
    auto again = replay(project, recorder, options, fmt::format("the network of {}", run.layer));
    run_on(icarus_name(options), again);
  }
  if (!runs.empty()) report["networks"] = runs;
  return passed;
}

// Options that without an array would be passed over in silence.
void require_network_for(const Options& options, const Project& project) {
  if (options.with == "model") require_network(project, options.config, "--with model");
  if (!options.layer.empty()) require_network(project, options.config, "--layer");
  if (options.stalls > 0) require_network(project, options.config, "--stalls");
  if (options.whole) require_network(project, options.config, "--whole");
}

}  // namespace

int simulate(const Options& options) {
  if (!options.unisim.empty() && options.with == "model")
    throw UsageError(
        "--unisim runs the netlist on the vendor's models, --with model runs no netlist: legal is "
        "one of them");
  if (!options.image.empty()) return simulate_image(options);
  Project project(options.config, reading_of(options));
  project.require_legal();
  require_network_for(options, project);
  backends::OutputSet files;
  Json report = add_netlist(project, files, options);
  Simulation simulation(project, options, files);
  // The native simulator starts at once: what it sees needs no compiler.
  backends::NativeMachine native(project.design());
  const bool netlist = options.with != "model";
  bool passed = !netlist || simulation.run("native", native);
  if (passed && on_icarus(options)) passed = simulation.run_icarus();
  if (passed && options.with == "verilator" && !on_icarus(options)) {
    backends::VerilatedMachine verilated(project.design(),
                                         {.jobs = options.jobs, .cache = options.context->cache()});
    passed = simulation.run("verilator", verilated) &&
             run_networks(project, options, "verilator", verilated, report);
  } else if (passed && netlist) {
    passed = run_networks(project, options, "native", native, report);
  } else if (passed) {
    const auto model = gen::network_model(project.network);
    passed = run_networks(project, options, "model", *model, report);
  }
  if (passed && options.mutations > 0) passed = simulation.mutate(options.mutations);
  simulation.add_to(report);
  add_network_files(project, files, options.whole);
  finish(project, files, report, "sim", options);
  return passed ? ok : design_failed;
}

}  // namespace kumiki::cli
