// SPDX-License-Identifier: Apache-2.0
// The tables of `bench`; adding one is a file and a line in bench.cpp.
#pragma once
#include "gen/cli/cli.h"

namespace kumiki::cli {

std::vector<std::string> bench_tables();  // by name

namespace array_table {
int run(const Options& options);
}
namespace compressor_table {
int run(const Options& options);
}
namespace conv2d_table {
int run(const Options& options);
}
namespace delay_table {
int run(const Options& options);
}
namespace devices_table {
int run(const Options& options);
}
namespace neuron_table {
int run(const Options& options);
}
namespace dense_table {
int run(const Options& options);  // bench neuron --heap dense
}
namespace packing_table {
int run(const Options& options);
}
namespace reach_table {
int run(const Options& options);
}
namespace vision_table {
int run(const Options& options);
}

}  // namespace kumiki::cli
