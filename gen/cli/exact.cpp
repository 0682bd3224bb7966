// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/exact.h"

#include <algorithm>

#include "backends/lockstep/lockstep.h"
#include "backends/native/machine.h"
#include "backends/verilator/verilated_machine.h"
#include "ir/check.h"

namespace kumiki::cli {
namespace {

// Handshakes and status are compared in every cycle, data only where there is any.
bool is_always_compared(const ir::PortSlot& port) {
  const auto ends = [&](std::string_view with) { return port.name.ends_with(with); };
  return ends("ready") || ends("valid") || ends("status");
}

}  // namespace

bool is_exact(const gen::BuiltNetwork& network, const ir::Design& design, const Options& options,
              std::uint64_t default_cycles, std::uint64_t resets) {
  if (!ir::check(design, {.warnings = false}).empty()) return false;
  const auto ports = ir::layout(design.top());
  const auto cycles = options.cycles.value_or(default_cycles);
  backends::StimulusOptions stimulus{.seed = options.seed.value_or(1),
                                     .cycles = cycles,
                                     .resets = resets,
                                     .constrain = gen::drive(network)};
  for (const auto& n : gen::numbers(network)) stimulus.fields[n.port] = {n.width, n.is_signed};
  const auto always = static_cast<std::uint64_t>(
      std::count_if(ports.outputs.begin(), ports.outputs.end(), is_always_compared));
  const auto agrees = [&](ir::Machine& machine) {
    const auto model = gen::network_model(network);
    backends::Stimulus source(ports, stimulus);
    const auto result = backends::run_lockstep(*model, machine, source, {.cycles = cycles});
    return result.passed() && result.comparisons > result.cycles * always;
  };
  backends::NativeMachine native(design);
  if (!agrees(native)) return false;
  if (options.bench_with != "verilator") return true;
  backends::VerilatedMachine verilated(design);
  return agrees(verilated);
}

}  // namespace kumiki::cli
