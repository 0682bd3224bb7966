// SPDX-License-Identifier: Apache-2.0
// `sim --image`: a picture through the netlist of a pipeline of filters.
#pragma once
#include "gen/cli/cli.h"

namespace kumiki::cli {

int simulate_image(const Options& options);

}  // namespace kumiki::cli
