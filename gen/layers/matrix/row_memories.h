// SPDX-License-Identifier: Apache-2.0
// The rows of a chain read the same addresses, each with the delay of its slice. Rows with similar
// delays may share a memory: its answer waits in registers, or in a LUT from three clocks on.
// Sharing pays because a block memory is 36 bits wide and a row often has only two or eight bits.
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

// LUTs, including those of memories, and blocks of 18 Kbit.
struct MemoryCost {
  std::uint64_t luts = 0, brams = 0;
  bool operator==(const MemoryCost&) const = default;
};

// The read delay of every row of slices.
std::vector<int> lateness(const MatrixPlan& plan);

// Groups of rows, from `first` on, that share a memory; the earliest readers first.
using RowGroups = std::vector<std::vector<std::size_t>>;
RowGroups rows_together(std::span<const int> late, std::size_t first, std::size_t count,
                        const RowMemory& memory);
MemoryCost cost_of(const RowGroups& groups, std::span<const int> late, const RowMemory& memory);

// For the line buffer: the memory of one row, and the groups of all rows of all positions, for one
// pixel.
RowMemory ring_memory(const MatrixPlan& plan, int ring_bits);
RowGroups ring_groups(const MatrixPlan& plan, int ring_bits);

}  // namespace kumiki::gen::matrix
