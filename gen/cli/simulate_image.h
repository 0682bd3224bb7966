// SPDX-License-Identifier: Apache-2.0
// `sim --image`: sends a picture through the netlist of a pipeline of filters.
#pragma once
#include "gen/cli/simulate.h"

namespace kumiki::cli {

int simulate_image(const SimOptions& options, flow::Context& context);

}  // namespace kumiki::cli
