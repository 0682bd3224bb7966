// SPDX-License-Identifier: Apache-2.0
// A folder of simulation models in the manner of the vendor's, written by us: one file a primitive,
// picoseconds, a global reset of 100 ns in glbl.v, registers that hold until it ends and answer
// with a delay, and tables as plain `always @(inputs)`, which know nothing until an input changes.
#pragma once
#include <filesystem>

namespace kumiki::tests {

// Writes glbl.v into the folder, and the models into its folder `unisims`; returns the path of
// that.
std::filesystem::path write_plain_models(const std::filesystem::path& folder);

}  // namespace kumiki::tests
