// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/row_memories.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "gen/blocks/packing/hardware/slices.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::matrix {
namespace {

constexpr int waits_in_a_lut = 3;  // clocks; shorter waits use registers
// LUTs worth spending to save a block memory.
constexpr std::uint64_t luts_of_a_block = 8;

MemoryCost cost_of(std::span<const std::size_t> rows, std::span<const int> late,
                   const RowMemory& m) {
  const std::uint64_t width = rows.size() * m.bits;
  MemoryCost cost;
  if (m.is_block)
    cost.brams = ir::memory::brams_18k(m.depth, width);
  else
    cost.luts = m.depth <= 32 ? (width + 5) / 6 * 4 : (width + 2) / 3 * 4;
  for (const std::size_t row : rows)
    if (late[row] - late[rows.front()] >= waits_in_a_lut) cost.luts += m.bits;
  return cost;
}

}  // namespace

std::vector<int> lateness(const MatrixPlan& p) {
  std::vector<int> late(static_cast<std::size_t>(p.chain_rows()), 0);
  if (p.in_trees()) return late;
  for (const auto& slice : p.chain().slices)
    if (slice.term >= 0) late[slice.term] = packing::arrival(p.chain(), slice);
  return late;
}

// Considers the rows in the order of their reads and finds the cheapest grouping up to each row.
RowGroups rows_together(std::span<const int> late, std::size_t first, std::size_t count,
                        const RowMemory& m) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return late[row]; });
  std::vector<std::uint64_t> cheapest(count + 1, std::numeric_limits<std::uint64_t>::max());
  std::vector<std::size_t> begins(count + 1, 0);
  cheapest[0] = 0;
  for (std::size_t end = 1; end <= count; ++end)
    for (std::size_t many = 1; many <= end; ++many) {
      if (many > 1 && many * m.bits > m.most_bits) break;
      const auto cost = cost_of(std::span(rows).subspan(end - many, many), late, m);
      const std::uint64_t all = cheapest[end - many] + cost.luts + luts_of_a_block * cost.brams;
      if (all >= cheapest[end]) continue;
      cheapest[end] = all;
      begins[end] = end - many;
    }
  RowGroups groups;
  for (std::size_t end = count; end > 0; end = begins[end])
    groups.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(begins[end]),
                        rows.begin() + static_cast<std::ptrdiff_t>(end));
  std::ranges::reverse(groups);
  return groups;
}

RowMemory ring_memory(const MatrixPlan& p, int ring_bits) {
  const int bits = ring_bits + p.half_bits();
  return {.depth = (std::uint64_t{1} << bits) / static_cast<std::uint64_t>(p.beat),
          .bits = static_cast<std::uint64_t>(p.beat * p.pixel_bits()),
          .is_block = !ring_is_distributed(bits)};
}

// Rows written by different registers share nothing.
RowGroups ring_groups(const MatrixPlan& p, int ring_bits) {
  const std::vector<int> late = lateness(p);
  const RowMemory memory = ring_memory(p, ring_bits);
  const auto rows = static_cast<std::size_t>(p.ring_rows());
  RowGroups all;
  for (std::size_t begin = 0; begin < late.size(); begin += rows)
    for (std::size_t row = 0; row < rows; row += p.rows_of_a_copy()) {
      const std::size_t count = std::min(p.rows_of_a_copy(), rows - row);
      for (auto& group : rows_together(late, begin + row, count, memory))
        all.push_back(std::move(group));
    }
  return all;
}

MemoryCost cost_of(const RowGroups& groups, std::span<const int> late, const RowMemory& m) {
  MemoryCost sum;
  for (const auto& rows : groups) {
    const MemoryCost cost = cost_of(std::span(rows), late, m);
    sum.luts += cost.luts;
    sum.brams += cost.brams;
  }
  return sum;
}

}  // namespace kumiki::gen::matrix
