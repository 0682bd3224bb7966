// SPDX-License-Identifier: Apache-2.0
// Block memories side by side, counted by the shapes of UG573.
#include "ir/primitives/memory_parts.h"

#include <gtest/gtest.h>

#include <numeric>

#include "ir/arch.h"
#include "ir/primitives/memory.h"

namespace kumiki::ir::memory_parts_test {

using Widths = std::vector<std::uint32_t>;

TEST(MemoryParts, DeepWordsLieInSeveralShapes) {
  // 128 K words of 16 bits: 128 blocks of 1 K x 18, or 64 of 2 K x 9 and 56 of 16 K x 1.
  EXPECT_EQ(memory::widths_of_parts(1 << 17, 16), (Widths{9, 7}));
  EXPECT_EQ(memory::brams_18k(1 << 17, 16), 120u);
  EXPECT_EQ(memory::widths_of_parts(8192, 13), (Widths{9, 4}));
  EXPECT_EQ(memory::brams_18k(8192, 13), 6u);
  // Nine bits of each of seven blocks, and one bit.
  EXPECT_EQ(memory::widths_of_parts(16384, 64), (Widths{63, 1}));
  EXPECT_EQ(memory::brams_18k(16384, 64), 57u);
}

TEST(MemoryParts, UltraRamHasOneShape) {
  EXPECT_EQ(memory::urams(4096, 72), 1u);
  EXPECT_EQ(memory::urams(4097, 72), 2u);
  EXPECT_EQ(memory::urams(4097, 73), 4u);
  // As many bits as 16 blocks of 18 Kbit.
  EXPECT_EQ(memory::brams_18k(4096, 72), std::uint32_t{arch::block_rams_of_an_ultra_ram});
}

TEST(MemoryParts, OneMemoryIfSeveralTakeNoFewerBlocks) {
  for (const auto& [depth, width] :
       {std::pair(512u, 36u), {512, 64}, {1024, 16}, {2048, 9}, {8192, 12}, {100, 1}})
    EXPECT_EQ(memory::widths_of_parts(depth, width), Widths{width}) << depth << " x " << width;
}

TEST(MemoryParts, NoOtherCutTakesFewerBlocks) {
  for (const std::uint64_t depth : {1u, 512u, 513u, 1025u, 2000u, 4096u, 5000u, 16384u, 40000u})
    for (std::uint32_t width = 2; width <= 80; ++width) {
      const Widths parts = memory::widths_of_parts(depth, width);
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0u), width);
      for (const std::uint32_t part : parts)
        EXPECT_EQ(memory::widths_of_parts(depth, part).size(), 1u);
      for (std::uint32_t low = 1; low < width; ++low)
        EXPECT_LE(memory::brams_18k(depth, width),
                  memory::brams_18k(depth, low) + memory::brams_18k(depth, width - low))
            << depth << " x " << width;
    }
}

}  // namespace kumiki::ir::memory_parts_test
