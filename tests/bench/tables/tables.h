// SPDX-License-Identifier: Apache-2.0
// The rows of `kumiki-bench compressor` and `kumiki-bench neuron`, for them and for the tables made
// of them.
#pragma once
#include "gen/layer/layer.h"
#include "gen/layers/neuron/neuron.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"

namespace kumiki::cli {

namespace compressor_table {
Results results(const HeapOptions& options, flow::Context& context);
}  // namespace compressor_table

namespace neuron_table {
Results results(const HeapOptions& options, flow::Context& context);
// A neuron in Verilog as it is defined, module `naive`; the synthesiser is free in all else.
std::string behaviour(const gen::neuron::NeuronRequest& request);
}  // namespace neuron_table

}  // namespace kumiki::cli
