// SPDX-License-Identifier: Apache-2.0
// A block memory as several side by side, each in a shape of its own. Deep words of 16 bits waste a
// ninth of blocks of 18 bits; 9 and 7 bits side by side waste less.
#pragma once
#include <cstdint>
#include <vector>

namespace kumiki::ir::memory {

// The widths of the memories that together take fewest blocks; a single one if it takes no more.
std::vector<std::uint32_t> widths_of_parts(std::uint64_t depth, std::uint32_t width);

}  // namespace kumiki::ir::memory
