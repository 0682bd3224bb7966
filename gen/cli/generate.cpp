// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gen/cli/cli.h"
#include "gen/cli/network_files.h"
#include "gen/cli/output.h"
#include "gen/cli/project.h"
#include "gen/cli/simulate_network.h"

namespace kumiki::cli {

int generate(const Options& options) {
  Project project(options.config, reading_of(options));
  project.require_legal();
  if (options.whole) require_network(project, options.config, "--whole");
  backends::OutputSet files;
  Json report = add_netlist(project, files, options);
  add_network_files(project, files, options.whole);
  finish(project, files, report, "gen", options);
  return ok;
}

}  // namespace kumiki::cli
