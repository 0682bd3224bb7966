// SPDX-License-Identifier: Apache-2.0
// The rows of `bench compressor` and `bench neuron`, for them and for the tables made of them.
#pragma once
#include "gen/cli/cli.h"
#include "gen/layer.h"

namespace kumiki::cli {

gen::Json compressor_rows(const Options& options);
gen::Json neuron_rows(const Options& options);

}  // namespace kumiki::cli
