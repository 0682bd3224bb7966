// SPDX-License-Identifier: Apache-2.0
// Rows of a chain read the same addresses, each as late as its slice. Those that are read a little
// later than others may share their memory: what it answers waits in registers, and from three
// clocks on in a LUT. A block of memory is 36 bits wide, a row often two or eight.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

struct RowMemory {
  std::uint64_t depth = 1, bits = 1;  // of a row
  bool is_block = true;
  std::uint64_t most_bits = 4096;  // side by side
};

// LUTs, those of memories among them, and blocks of 18 Kbit.
struct MemoryCost {
  std::uint64_t luts = 0, brams = 0;
  bool operator==(const MemoryCost&) const = default;
};

// How late every row of slices reads.
std::vector<int> lateness(const MatrixPlan& plan);

// Of the rows from `first` on those that share a memory, the earliest ones first.
using RowGroups = std::vector<std::vector<std::size_t>>;
RowGroups rows_together(std::span<const int> late, std::size_t first, std::size_t count,
                        const RowMemory& memory);
MemoryCost cost_of(const RowGroups& groups, std::span<const int> late, const RowMemory& memory);

// Of the line buffer: a memory of a row, and all rows of all positions, for one pixel.
RowMemory ring_memory(const MatrixPlan& plan, int ring_bits);
RowGroups ring_groups(const MatrixPlan& plan, int ring_bits);

}  // namespace kumiki::gen::matrix
