// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/simulate_network.h"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

#include "backends/emit/report/report.h"
#include "backends/sim/sees_unknown.h"
#include "gen/flow/trained/messages.h"
#include "gen/hdl/model.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/model.h"
#include "gen/layers/array/player.h"
#include "gen/layers/array/setup.h"
#include "ir/error.h"

namespace kumiki::cli {
namespace {

using namespace gen::array;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// On a terminal a bar with the remaining time, elsewhere one line for every finished layer.
class Progress {
 public:
  Progress(const NetworkRun& run, const NetworkOptions& options)
      : run_(run),
        name_(options.simulator),
        quiet_(options.quiet),
        terminal_(isatty(STDERR_FILENO) != 0),
        all_(std::max<std::int64_t>(1, predicted_clocks(run))) {}
  ~Progress() {
    if (terminal_ && !quiet_) fmt::print(stderr, "\r\033[K");
  }
  void at(std::int64_t clocks, std::size_t layers_done) {
    if (quiet_ || layers_done >= run_.program.layers.size()) return;
    const std::string& layer = run_.program.layers[layers_done].job.shape.name;
    if (!terminal_) {
      if (layers_done != said_)
        fmt::print(stderr, "{}: clock {}, {} of {} layers through\n", name_, clocks, layers_done,
                   run_.program.layers.size());
      said_ = layers_done;
      return;
    }
    const double seconds = since(start_),
                 share = static_cast<double>(clocks) / static_cast<double>(all_);
    fmt::print(stderr, "\r{}: {:3.0f} % of {} clocks, {}, {:.0f} s left\033[K", name_, 100 * share,
               all_, layer, share > 0 ? std::max(0.0, seconds / share - seconds) : 0.0);
  }

 private:
  const NetworkRun& run_;
  std::string name_;
  bool quiet_, terminal_;
  std::int64_t all_;
  std::size_t said_ = 0;
  Clock::time_point start_ = Clock::now();
};

// The layer's part of the top's frames.
class Ports {
 public:
  Ports(const ir::PortLayout& top, const gen::BuiltLayer& layer, const ArrayPlan& plan)
      : layer_(layer),
        in_(input_shape(plan)),
        top_in_(top.input_limbs, 0),
        top_out_(top.output_limbs, 0),
        unknown_(layer.ports.output_limbs, 0) {}
  ir::Frame& step(ir::Machine& machine, const ArrayIn<gen::Values>& in) {
    gen::pack(in_, in, own_in_);
    std::ranges::copy(own_in_, top_in_.begin() + layer_.first_input_limb);
    machine.step(top_in_, top_out_);
    copy_own(top_out_, own_out_);
    if (const auto* four_valued = dynamic_cast<const backends::SeesUnknown*>(&machine))
      copy_own(four_valued->unknown(), unknown_);
    return own_out_;
  }
  const ir::Frame& unknown() const { return unknown_; }  // x bits of the last step

 private:
  void copy_own(const ir::Frame& of_top, ir::Frame& own) const {
    const auto first = of_top.begin() + layer_.first_output_limb;
    own.assign(first, first + layer_.ports.output_limbs);
  }

  const gen::BuiltLayer& layer_;
  ArrayIn<gen::Hardware> in_;
  ir::Frame top_in_, top_out_, own_in_, own_out_, unknown_;
};

std::optional<std::string> differs(const ir::PortLayout& ports, const ir::Frame& expected,
                                   const ir::Frame& valid, const ir::Frame& got,
                                   const ir::Frame& unknown) {
  for (const ir::PortSlot& p : ports.outputs)
    for (std::uint32_t i = p.limb; i < p.limb + p.limbs(); ++i) {
      if ((((expected[i] ^ got[i]) | unknown[i]) & valid[i]) == 0) continue;
      const std::uint64_t x = unknown[i] & valid[i];
      return fmt::format("{}, bits {} up: expected {:#x}, got {:#x}{}", p.name, 64 * (i - p.limb),
                         expected[i], got[i], x == 0 ? "" : fmt::format(", unknown {:#x}", x));
    }
  return std::nullopt;
}

// The reason why a layer took longer than predicted, or its predicted bottleneck.
std::string bound_by(const Figures& f, const Measured& m) {
  return m.clocks > f.clocks && m.result_waits > 0 ? "results" : name(f.limit);
}

Json layer_json(const ProgramLayer& l, const Measured& m) {
  const Figures& f = l.figures;
  return {{"name", l.job.shape.name},
          {"formula_cycles", f.formula.cycles},
          {"steps", f.steps},
          {"predicted_clocks", f.clocks},
          {"bound_by", bound_by(f, m)},
          {"measured_clocks", m.clocks},
          {"waits_for_results", m.result_waits},
          {"formula_input_words", f.formula.input_words},
          {"predicted_individual_words", f.individual_words},
          {"individual_words", m.individual_words},
          {"predicted_common_words", f.common_words},
          {"common_words", m.common_words},
          {"parameter_words", m.parameter_words},
          {"output_words", m.output_words}};
}

void print_table(const NetworkRun& run, const std::vector<Measured>& measured, double seconds,
                 std::int64_t clocks) {
  std::vector<std::vector<std::string>> rows{{"layer", "formula", "steps", "predicted", "measured",
                                              "bound by", "pixels/weights", "predicted", "common",
                                              "results"}};
  std::int64_t formula = 0, steps = 0, predicted = 0, taken = 0, macs = 0;
  std::int64_t conv_macs = 0, conv_taken = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const ProgramLayer& l = run.program.layers[i];
    const Figures& f = l.figures;
    const Measured& m = measured[i];
    formula += f.formula.cycles, steps += f.steps, predicted += f.clocks, taken += m.clocks;
    macs += f.formula.macs;
    if (l.job.shape.kind == Kind::conv) conv_macs += f.formula.macs, conv_taken += m.clocks;
    rows.push_back({l.job.shape.name, std::to_string(f.formula.cycles), std::to_string(f.steps),
                    std::to_string(f.clocks), std::to_string(m.clocks), bound_by(f, m),
                    std::to_string(m.individual_words), std::to_string(f.individual_words),
                    std::to_string(m.common_words), std::to_string(m.output_words)});
  }
  rows.push_back({"all", std::to_string(formula), std::to_string(steps), std::to_string(predicted),
                  std::to_string(taken), "", "", "", "", ""});
  fmt::print("{}", backends::table(rows));
  const ArrayPlan& plan = run.program.plan;
  const int slices = plan.slices() + plan.output_slices();
  auto sustained = [&](std::int64_t products, std::int64_t in) {
    return static_cast<double>(products) / (static_cast<double>(in) * static_cast<double>(slices));
  };
  fmt::print(
      "{} clocks in {:.1f} s, {:.0f} a second\n"
      "multiplications a clock and slice ({}): {:.3f}{}\n",
      clocks, seconds, static_cast<double>(clocks) / std::max(seconds, 1e-9), slices,
      sustained(macs, taken),
      conv_taken == 0
          ? ""
          : fmt::format(", of the convolutions {:.3f}", sustained(conv_macs, conv_taken)));
}

}  // namespace

void require_network(const Project& project, const std::string& file, const std::string& option) {
  for (const auto& layer : project.document.layers)
    if (layer.type->name == "pe_array") return;
  throw UsageError(
      code::option_needs_layer,
      fmt::format("{}: {} is for the network of a pe_array, and no layer here is of that type; "
                  "give a configuration with such a layer, or leave out {}",
                  file, option, option));
}

NetworkResult run_network(const gen::BuiltNetwork& network, const ir::Module& top,
                          const NetworkRun& run, ir::Machine& machine,
                          const NetworkOptions& options) {
  const ArrayPlan& plan = run.program.plan;
  const gen::BuiltLayer& layer = flow::built_layer(network, run.layer);
  Ports ports(ir::layout(top), layer, plan);
  gen::Model<ArrayIn, ArrayOut, ArrayModel> model(input_shape(plan), output_shape(plan),
                                                  ArrayModel(plan));
  const ArrayIn<gen::Hardware> in_shape = input_shape(plan);
  const ArrayOut<gen::Hardware> out_shape = output_shape(plan);
  Player player(run.program, run.inputs, Stalls::all(options.seed, options.stalls));
  model.power_up();
  machine.power_up();

  NetworkResult result;
  Progress progress(run, options);
  const auto start = Clock::now();
  const std::int64_t most = most_clocks(run.program, options.stalls);
  ArrayIn<gen::Values> in{};
  ArrayOut<gen::Values> out{};
  ir::Frame in_frame, expected;
  std::string wrong;
  for (bool more = true; more && wrong.empty();) {
    player.drive(in);
    gen::pack(in_shape, in, in_frame);
    model.step(in_frame, expected);
    const ir::Frame& got = ports.step(machine, in);
    if (const auto d = differs(layer.ports, expected, *model.valid_mask(), got, ports.unknown()))
      wrong = fmt::format("clock {}: {}", player.clocks(), *d);
    gen::unpack(out_shape, got, out);
    more = player.watch(out);
    if (more && player.clocks() > most) wrong = fmt::format("not finished after {} clocks", most);
    if (player.clocks() % 1024 == 0) progress.at(player.clocks(), player.layers_done());
  }
  const double seconds = since(start);
  if (wrong.empty()) {
    const auto right = reference(run.program, run.inputs);
    for (std::size_t i = 0; i < right.size() && wrong.empty(); ++i)
      wrong =
          first_difference(run.program.layers[i].job, right[i], player.results()[i]).value_or("");
  }
  result.passed = wrong.empty();
  result.seconds = seconds;
  result.clocks = player.clocks();
  Json layers = Json::array();
  for (std::size_t i = 0; i < run.program.layers.size(); ++i)
    layers.push_back(layer_json(run.program.layers[i], player.measured()[i]));
  for (const Measured& m : player.measured()) result.layer_clocks.push_back(m.clocks);
  result.report = {{"array", run.layer},
                   {"simulator", options.simulator},
                   {"passed", result.passed},
                   {"clocks", player.clocks()},
                   {"stalls_of_256", options.stalls},
                   {"layer_overhead", ArrayPlan::layer_overhead},
                   {"layers", layers}};
  if (!result.passed) {
    result.report["difference"] = wrong;
    fmt::print(stderr, "{}: {}: {}\n", run.layer, options.simulator, wrong);
  } else if (!options.quiet && options.table) {
    print_table(run, player.measured(), seconds, player.clocks());
    fmt::print("{} on {}: {}every result as defined\n", run.layer, options.simulator,
               options.simulator == "model" ? "" : "every output as the model's in every clock, ");
  }
  return result;
}

}  // namespace kumiki::cli
