// SPDX-License-Identifier: Apache-2.0
// Rows that share memories: all are there once, no memory is too wide, and no other way to divide
// them costs less.
#include "gen/layers/matrix/row_memories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/random.h"
#include "tests/support/seed.h"

namespace kumiki::gen::matrix {
namespace {

std::uint64_t weight(const MemoryCost& cost) { return cost.luts + 8 * cost.brams; }

// Of all ways to cut the rows, as they read one after the other, into memories.
std::uint64_t cheapest(const std::vector<std::size_t>& rows, std::span<const int> late,
                       const RowMemory& memory) {
  std::uint64_t least = ~std::uint64_t{0};
  for (unsigned cuts = 0; cuts < 1u << (rows.size() - 1); ++cuts) {
    RowGroups groups{{rows[0]}};
    bool fits = true;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (cuts >> (i - 1) & 1) groups.emplace_back();
      groups.back().push_back(rows[i]);
      fits &= groups.back().size() == 1 || groups.back().size() * memory.bits <= memory.most_bits;
    }
    if (fits) least = std::min(least, weight(cost_of(groups, late, memory)));
  }
  return least;
}

TEST(RowMemories, NoOtherWayCostsLess) {
  tests::Random random(test::rotating_seed());
  for (int round = 0; round < 60; ++round) {
    const std::size_t first = random.below(3), count = 1 + random.below(9);
    std::vector<int> late(first + count);
    for (int& clocks : late) clocks = static_cast<int>(random.below(8));
    const RowMemory memory{.depth = std::uint64_t{16} << random.below(9),
                           .bits = 1 + random.below(20),
                           .is_block = random.one_in(2),
                           .most_bits = random.one_in(3) ? 36u : 4096u};
    const RowGroups groups = rows_together(late, first, count, memory);
    std::set<std::size_t> all;
    std::vector<std::size_t> order;
    for (const auto& rows : groups) {
      EXPECT_TRUE(rows.size() == 1 || rows.size() * memory.bits <= memory.most_bits);
      EXPECT_TRUE(std::ranges::is_sorted(rows, {}, [&](std::size_t row) { return late[row]; }));
      all.insert(rows.begin(), rows.end());
      order.insert(order.end(), rows.begin(), rows.end());
    }
    EXPECT_EQ(order.size(), count);
    EXPECT_EQ(all.size(), count);
    EXPECT_EQ(*all.begin(), first);
    EXPECT_EQ(*all.rbegin(), first + count - 1);
    std::ranges::stable_sort(order);
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return late[row]; });
    EXPECT_EQ(weight(cost_of(groups, late, memory)), cheapest(order, late, memory));
  }
}

// By hand. Two bits of 256 words are in a block of 36 bits with those of up to 17 others; the first
// three of a chain wait in registers, each further one in two LUTs.
TEST(RowMemories, NarrowRowsShareABlock) {
  const std::vector<int> late{0, 1, 2, 3, 4, 5};
  const RowMemory narrow{.depth = 256, .bits = 2};
  EXPECT_EQ(rows_together(late, 0, 6, narrow), (RowGroups{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(cost_of(RowGroups{{0, 1, 2, 3, 4, 5}}, late, narrow), (MemoryCost{6, 1}));
  // Bytes: a fourth row would want eight LUTs, as much as a block is worth.
  const RowMemory bytes{.depth = 256, .bits = 8};
  EXPECT_EQ(rows_together(late, 0, 6, bytes).size(), 2U);
  EXPECT_EQ(cost_of(rows_together(late, 0, 6, bytes), late, bytes), (MemoryCost{0, 2}));
  // Of chains side by side nobody waits.
  const std::vector<int> together{0, 1, 0, 1, 0, 1};
  EXPECT_EQ(rows_together(together, 0, 6, bytes), (RowGroups{{0, 2, 4, 1}, {3, 5}}));
  // Full words share nothing.
  EXPECT_EQ(rows_together(late, 0, 3, {.depth = 512, .bits = 36}), (RowGroups{{0}, {1}, {2}}));
}

}  // namespace
}  // namespace kumiki::gen::matrix
