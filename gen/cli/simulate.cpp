// SPDX-License-Identifier: Apache-2.0
// `sim`: runs the netlist in lockstep with the model of every layer, on one or two simulators.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "backends/emit/report/page.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/lockstep/waveform.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/cli/commands.h"
#include "gen/cli/fill.h"
#include "gen/cli/output.h"
#include "gen/cli/simulate_icarus.h"
#include "gen/cli/simulate_image.h"
#include "gen/cli/simulate_lanes.h"
#include "gen/cli/simulate_network.h"
#include "gen/flow/files/network_files.h"
#include "gen/flow/files/page.h"
#include "gen/flow/messages.h"
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
  Simulation(Project& project, const SimOptions& options, const backends::Cache& cache,
             backends::OutputSet& files)
      : project_(project),
        options_(options),
        cache_(cache),
        files_(files),
        ports_(ir::layout(project.top())),
        stimulus_(flow::stimulus_of(project, options.run)),
        model_(gen::network_model(project.network)) {}

  bool run(const std::string& name, ir::Machine& machine) {
    auto result = lockstep(name, machine);
    if (result.passed()) return true;
    backends::Stimulus stimulus(ports_, stimulus_);
    auto wave = backends::record_waveform(
        project_.design(), result.first.front(), stimulus,
        {.may_verilate = name == "verilator", .verilator = {.cache = cache_}});
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
    const auto result = flow::mutate(project_, count, options_.run);
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
        {"command", command_line(options_.source, "sim",
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

  // The command that repeats a run. The folder of vendor models stays open, because it is the
  // user's own.
  std::string repeat(const std::string& name) const {
    return command_line(options_.source, "sim",
                        fmt::format("{} --seed {} --cycles {}",
                                    name == "vendor models" ? "--unisim DIR" : "--with " + name,
                                    stimulus_.seed, stimulus_.cycles));
  }

  Project& project_;
  const SimOptions& options_;
  const backends::Cache& cache_;
  backends::OutputSet& files_;
  ir::PortLayout ports_;
  backends::StimulusOptions stimulus_;
  std::unique_ptr<ir::Machine> model_;
  Json runs_ = Json::array(), mutations_;
};

// Icarus runs hundreds of clocks in a second, the others thousands.
std::int64_t usual_clocks(const SimOptions& options) {
  return on_icarus(options) ? 20'000 : 1'000'000;
}

// Runs the networks on the arrays of the configuration. `lanes`: the simulator of --lanes and
// --images.
bool run_networks(const Project& project, const SimOptions& options, const std::string& simulator,
                  ir::Machine& machine, Json& report, backends::NativeSimulator* lanes = nullptr) {
  const std::uint64_t seed = options.run.seed.value_or(project.document.simulation.seed);
  bool passed = true;
  Json runs = Json::array();
  for (const NetworkRun& run : network_runs(project, options.layer, seed)) {
    if (predicted_clocks(run) > usual_clocks(options) && !asks_for_long(options)) {
      fmt::print(stderr,
                 "{}: its network takes {} clocks: --whole runs it, --layer NAME one layer of it\n",
                 run.layer, predicted_clocks(run));
      continue;
    }
    const auto run_on = [&](const std::string& name, ir::Machine& on) {
      try {
        const NetworkOptions how{.simulator = name,
                                 .stalls = options.stalls,
                                 .seed = seed,
                                 .quiet = options.output.json};
        const auto result =
            options.lanes ? run_network_in_lanes(project.network, *lanes, run, how)
            : options.images
                ? run_images_in_lanes(project.network, *lanes, run, *options.images, how)
                : run_network(project.network, project.top(), run, on, how);
        runs.push_back(result.report);
        passed = passed && result.passed;
        return result.passed;
      } catch (const DesignError& e) {  // a result stream violates its own rules
        throw DesignError(within(fmt::format("{}: {}", run.layer, name), e));
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

// Refuses options that would have no effect without an array.
void require_network_for(const SimOptions& options, const Project& project) {
  if (options.with == "model") require_network(project, options.source.config, "--with model");
  if (!options.layer.empty()) require_network(project, options.source.config, "--layer");
  if (options.stalls > 0) require_network(project, options.source.config, "--stalls");
  if (options.whole) require_network(project, options.source.config, "--whole");
  if (options.lanes) require_network(project, options.source.config, "--lanes");
  if (options.images) require_network(project, options.source.config, "--images");
}

int simulate(const SimOptions& options, flow::Context& context) {
  if (!options.unisim.empty() && options.with == "model")
    throw UsageError(
        code::options_exclude,
        "--unisim runs the netlist on the vendor's models, but --with model runs no netlist; give "
        "one of the two");
  for (const auto& [given, name] :
       {std::pair{options.lanes, "--lanes"}, {options.images.has_value(), "--images"}})
    if (given && (options.with != "native" || !options.unisim.empty()))
      throw UsageError(code::options_exclude,
                       fmt::format("{} runs a network in the lanes of the native simulator; use "
                                   "it with --with native",
                                   name));
  if (!options.image.empty()) return simulate_image(options, context);
  Project project(options.source.config, reading_of(options.source, context));
  project.require_legal();
  require_network_for(options, project);
  backends::OutputSet files(context.cache());
  const Fills fills = measured_fills(
      project, static_cast<std::int64_t>(flow::stimulus_of(project, options.run).cycles));
  Json report =
      add_netlist(project, files, options.output.extras, options.run, nullptr, fills.pictures);
  if (!fills.layers.empty()) {
    gen::config::Writer queues;
    queues.value(fills.layers);
    report["queues"] = queues.take();
  }
  Simulation simulation(project, options, context.cache(), files);
  // The native simulator starts at once, so it finds errors without a compiler.
  std::optional<backends::NativeMachine> native;
  if (options.with != "model") native.emplace(project.design());
  bool passed = !native || simulation.run("native", *native);
  if (passed && on_icarus(options)) passed = simulation.run_icarus();
  if (passed && options.with == "verilator" && !on_icarus(options)) {
    backends::VerilatedMachine verilated(project.design(),
                                         {.jobs = options.jobs, .cache = context.cache()});
    passed = simulation.run("verilator", verilated) &&
             run_networks(project, options, "verilator", verilated, report);
  } else if (passed && native) {
    passed = run_networks(project, options, "native", *native, report, &native->simulator());
  } else if (passed) {
    const auto model = gen::network_model(project.network);
    passed = run_networks(project, options, "model", *model, report);
  }
  if (passed && options.mutations > 0) passed = simulation.mutate(options.mutations);
  simulation.add_to(report);
  for (const std::string& note : add_network_files(project, files, options.whole))
    fmt::print(stderr, "{}\n", note);
  finish(project, files, report, "sim", options.source, options.output);
  return passed ? ok : design_failed;
}

Run declare_simulate(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<SimOptions>();
  app.add_option("--with", o->with,
                 "simulator: verilator, native or icarus; model: networks of a pe_array on the "
                 "model alone, no netlist is run")
      ->check(CLI::IsMember({"verilator", "native", "icarus", "model"}))
      ->capture_default_str();
  app.add_option("--unisim", o->unisim,
                 "run under Icarus with this folder of the vendor's models: layers, networks of "
                 "a pe_array and pictures");
  auto* image = app.add_option(
      "--image", o->image,
      "send this picture (PNG, PGM, PPM) through a vision layer; -o names the picture "
      "that comes out, NAME.reference and NAME.difference appear beside it");
  app.add_option("--layer", o->layer,
                 "run this layer of the network of a pe_array instead of all of them");
  app.add_flag("--whole", o->whole,
               "run networks of more than a million clocks as well (Icarus: of more than 20000)");
  app.add_flag("--lanes", o->lanes,
               "network of a pe_array: outputs of all its layers side by side in the 64 lanes of "
               "the native simulator, however long they take; results are compared with the "
               "layers by definition");
  auto* images =
      number(app, "--images", o->images, {1, 64},
             "network of a pe_array: so many random images at once, one in each lane of the native "
             "simulator; results are compared with the layers by definition");
  number(app, "--stalls", o->stalls, {0, 250},
         "network of a pe_array: clocks of 256 in which each stream waits")
      ->capture_default_str();
  for (const char* other : {"--lanes", "--stalls"}) images->excludes(app.get_option(other));
  number(app, "--cycles", o->run.cycles, most_cycles,
         "cycles to run (default: from the configuration)");
  number(app, "--mutate", o->mutations, {1, 1'000'000},
         "change so many single cells, one at a time: lockstep must see it (at least 95 % of those "
         "that change the function)");
  number(app, "--seed", o->run.seed, any_seed,
         "seed of the stimulus (default: from the configuration)");
  add_jobs(app, o->jobs);
  add_output(app, o->output);
  add_axi_stream(app, o->source);
  add_source(app, o->source, settings);
  // A picture is a run of its own; options that it would ignore are refused.
  for (const char* other :
       {"--layer", "--whole", "--lanes", "--images", "--stalls", "--cycles", "--mutate", "--seed",
        "--vectors", "--placement", "--driver", "--cocotb", "--axi-stream"})
    image->excludes(app.get_option(other));
  return runs(simulate, o);
}

}  // namespace

Command simulate_command() {
  return {"sim", "gen, then run the netlist in lockstep with its model", declare_simulate};
}

}  // namespace kumiki::cli
