// SPDX-License-Identifier: Apache-2.0
// Golden vectors: a model's outputs for a stimulus, as files that any simulator can replay.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "backends/support/files.h"
#include "ir/machine.h"
#include "ir/names.h"

namespace kumiki::backends {

// A frame for each cycle. Outputs are compared where valid is 1; elsewhere they are 0.
struct Vectors {
  std::vector<ir::Frame> inputs, outputs, valid;
  std::uint64_t compared = 0;  // cycles with at least one valid output bit
};

// Adds vectors/stimulus, expected and valid, each as .hex (a word a cycle, ports side by side, the
// first one lowest) and as .csv (a column a port). Also adds vectors/<bench>.v, which replays them.
// Returns the name of that module: <top>_tb unless the design uses that name. DesignError if
// nothing would be compared.
std::string write_vectors(const ir::Names& names, const Vectors& vectors, OutputSet& out);

}  // namespace kumiki::backends
