// SPDX-License-Identifier: Apache-2.0
// A folder of simulation models in the manner of the vendor's, written by us: one file a primitive,
// picoseconds, a global reset of 100 ns in glbl.v, registers that hold until it ends and answer
// late, and tables as plain `always @(inputs)`, which know nothing until an input changes.
#pragma once
#include <filesystem>

namespace kumiki::tests {

// glbl.v in the folder, the models in its folder `unisims`, whose name comes back.
std::filesystem::path write_plain_models(const std::filesystem::path& folder);

}  // namespace kumiki::tests
