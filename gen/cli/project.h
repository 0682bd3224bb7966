// SPDX-License-Identifier: Apache-2.0
// A project as the options ask for it.
#pragma once
#include "gen/cli/cli.h"
#include "gen/flow/project.h"
#include "gen/flow/run.h"

namespace kumiki::cli {

using flow::Plans;
using flow::Project;

inline flow::Reading reading_of(const Options& options) {
  return {.axi_stream = options.axi_stream, .context = *options.context};
}
inline flow::Run run_of(const Options& options) { return {options.seed, options.cycles}; }

}  // namespace kumiki::cli
