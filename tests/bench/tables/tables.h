// SPDX-License-Identifier: Apache-2.0
// The rows of `bench compressor` and `bench neuron`, for both and for the tables derived from them.
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
// The definition of a neuron in Verilog, module `naive`; everything else is left to the
// synthesiser.
std::string behaviour(const gen::neuron::NeuronRequest& request);
}  // namespace neuron_table

}  // namespace kumiki::cli
