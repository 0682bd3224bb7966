// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/simulate_icarus.h"

#include <fmt/format.h>

namespace kumiki::cli {

bool on_icarus(const SimOptions& options) {
  return options.with == "icarus" || !options.unisim.empty();
}

std::string icarus_name(const SimOptions& options) {
  return options.unisim.empty() ? "icarus" : "vendor models";
}

backends::RecordedMachine replay(const Project& project, const backends::Recorder& recorder,
                                 const SimOptions& options, const std::string& what) {
  const auto& inputs = recorder.inputs();
  if (!options.output.json)
    fmt::print(stderr, "{}: {}, {} clocks under Icarus\n", icarus_name(options), what,
               inputs.size());
  return {inputs, backends::run_icarus(backends::verilog_netlist(project.design()), inputs,
                                       {.unisim = options.unisim})};
}

}  // namespace kumiki::cli
