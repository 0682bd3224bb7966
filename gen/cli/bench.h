// SPDX-License-Identifier: Apache-2.0
// The tables of `bench`; adding one is a file and a line in bench.cpp.
#pragma once
#include "gen/cli/cli.h"

namespace kumiki::cli {

std::vector<std::string> bench_tables();  // by name

int bench_packing(const Options& options);
int bench_conv2d(const Options& options);
int bench_compressor(const Options& options);
int bench_neuron(const Options& options);
int bench_dense(const Options& options);  // bench neuron --heap dense
int bench_reach(const Options& options);
int bench_delay(const Options& options);
int bench_vision(const Options& options);
int bench_devices(const Options& options);
int bench_array(const Options& options);

}  // namespace kumiki::cli
