// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/tables/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/report/report.h"
#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/run.h"
#include "gen/flow/usage.h"
#include "ir/check.h"
#include "ir/resources.h"

namespace kumiki::cli {
namespace {

// Handshakes and status are compared in every cycle, data only if valid.
bool is_always_compared(const ir::PortSlot& port) {
  const auto ends = [&](std::string_view with) { return port.name.ends_with(with); };
  return ends("ready") || ends("valid") || ends("status");
}

bool is_exact(const gen::BuiltNetwork& network, const ir::Design& design,
              const TrialOptions& options, const backends::Cache& cache,
              std::uint64_t default_cycles, std::uint64_t resets) {
  if (!ir::check(design, {.warnings = false}).empty()) return false;
  const auto ports = ir::layout(design.top());
  const auto cycles = options.cycles.value_or(default_cycles);
  auto stimulus = flow::stimulus_of(network);
  stimulus.seed = options.seed.value_or(1);
  stimulus.cycles = cycles;
  stimulus.resets = resets;
  const auto always = static_cast<std::uint64_t>(
      std::count_if(ports.outputs.begin(), ports.outputs.end(), is_always_compared));
  const auto agrees = [&](ir::Machine& machine) {
    const auto model = gen::network_model(network);
    backends::Stimulus source(ports, stimulus);
    const auto result = backends::run_lockstep(*model, machine, source, {.cycles = cycles});
    const bool is_compared = result.comparisons > result.cycles * always;
    if (result.passed() && !is_compared && options.cycles)
      throw UsageError(
          code::option_value,
          fmt::format("--cycles {}: no result came within them, so nothing was compared; use more",
                      cycles));
    return result.passed() && is_compared;
  };
  backends::NativeMachine native(design);
  if (!agrees(native)) return false;
  if (options.with != "verilator") return true;
  backends::VerilatedMachine verilated(design, {.jobs = options.jobs, .cache = cache});
  return agrees(verilated);
}

}  // namespace

Trial try_layer(gen::NamedLayer layer, const TrialOptions& options, const backends::Cache& cache,
                std::uint64_t cycles, std::uint64_t resets, ir::Family family) {
  std::vector<gen::NamedLayer> layers;
  layers.push_back(std::move(layer));
  gen::Builder builder(family);
  const auto network = gen::build_network(builder, "bench", layers);
  return {ir::count_resources(builder.design()).total,
          is_exact(network, builder.design(), options, cache, cycles, resets), builder.saved()};
}

int finish(const Results& rows, bool json, void (*print)(const Results& rows)) {
  if (json)
    rows.print_json();
  else
    print(rows);
  return std::ranges::all_of(rows, [](const Result& r) { return r["exact"].flag(); })
             ? ok
             : design_failed;
}

}  // namespace kumiki::cli
