// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/store.h"

#include <gtest/gtest.h>

#include "ir/error.h"

namespace kumiki::gen::packing {
namespace packing_store_test {

std::vector<std::vector<std::int64_t>> some_weights(int tiles, int slices) {
  std::vector<std::vector<std::int64_t>> weights;
  for (int t = 0; t < tiles; ++t) {
    weights.emplace_back();
    for (int i = 0; i < slices; ++i) weights.back().push_back(1000 * (t + 1) + i);
  }
  return weights;
}

// Every slice multiplies its own weight of the tile, in every cycle of the tile and in its own
// skewed time.
void expect_stored(const StorePlan& plan, int tiles) {
  const auto weights = some_weights(tiles, plan.request.slices);
  const auto used = simulate(plan, weights);
  for (int t = 0; t < tiles; ++t)
    for (int i = 0; i < plan.request.slices; ++i) {
      ASSERT_EQ(static_cast<int>(used[t][i].size()), plan.request.tile_cycles);
      for (const auto value : used[t][i])
        ASSERT_EQ(value, weights[t][i]) << to_text(plan) << t << " " << i;
    }
}

TEST(Store, WeightsAreThereAtTheShortestPeriodAndAtLongerOnes) {
  for (const StoreKind kind : {StoreKind::ShiftChain, StoreKind::TwoEntries})
    for (const StoreEnable enable : {StoreEnable::Common, StoreEnable::Skewed})
      for (const int slices : {1, 2, 3, 7, 8, 9, 16, 25})
        for (const int height : {3, 8, 96})
          for (const int slack : {0, 1, 5}) {
            StoreRequest request{
                .slices = slices, .tile_cycles = 1000, .kind = kind, .enable = enable};
            request.limits.column_height = height;
            request.tile_cycles = plan_store(request).period + slack;
            expect_stored(plan_store(request), 4);
          }
}

TEST(Store, PeriodIsSharp) {
  for (const StoreEnable enable : {StoreEnable::Common, StoreEnable::Skewed}) {
    StoreRequest request{.slices = 7, .tile_cycles = 100, .enable = enable};
    StorePlan plan = plan_store(request);
    plan.request.tile_cycles = plan.period - 1;
    const auto weights = some_weights(4, 7);
    const auto used = simulate(plan, weights);
    bool wrong = false;
    for (int t = 0; t < 4; ++t)
      for (int i = 0; i < 7; ++i)
        for (const auto value : used[t][i]) wrong = wrong || value != weights[t][i];
    EXPECT_TRUE(wrong);
    request.tile_cycles = plan.period - 1;
    EXPECT_THROW(plan_store(request), DesignError);
  }
}

TEST(Store, Figures) {
  const StorePlan common = plan_store({.slices = 16, .tile_cycles = 64});
  EXPECT_EQ(common.load_cycles, 16);
  EXPECT_EQ(common.period, 16 + 15);
  EXPECT_EQ(common.order.front(), 15);
  EXPECT_EQ(common.registers_saved, 128);
  EXPECT_EQ(common.column_feed, std::vector<int>{0});
  EXPECT_EQ(plan_store({.slices = 16, .tile_cycles = 16, .enable = StoreEnable::Skewed}).period,
            16);
  EXPECT_EQ(plan_store({.slices = 4, .tile_cycles = 9, .kind = StoreKind::TwoEntries}).select_bit,
            4);
  EXPECT_EQ(
      plan_store(
          {.slices = 4, .tile_cycles = 9, .kind = StoreKind::TwoEntries, .side = Side::Packed})
          .select_bit,
      0);
  EXPECT_EQ(to_text(common),
            "store of 16 slices, B1 shifts, B2 multiplies\n"
            "  load 16 cycles, swap every 64 cycles, possible every 31, one enable, 128 flip-flops "
            "saved\n"
            "  BREG 2 BCASCREG 1 B_INPUT CASCADE above a column's first slice\n"
            "certificate\n"
            "  bits of a stored operand: 8 at most 18\n"
            "  cycles from swap to swap: 31 at most 64\n");
}

TEST(Store, Refusals) {
  try {
    (void)plan_store({.slices = 16, .tile_cycles = 30});
    FAIL();
  } catch (const DesignError& error) {
    EXPECT_STREQ(error.what(),
                 "store: cycles from swap to swap: 31 not at most 30; legal: tiles of at least "
                 "that many cycles");
  }
  EXPECT_THROW(plan_store({.slices = 0}), DesignError);
  EXPECT_THROW(
      plan_store({.slices = 4, .tile_cycles = 100, .side = Side::Packed, .preadder = true}),
      DesignError);
  EXPECT_THROW(plan_store({.slices = 4, .tile_cycles = 100, .operand_bits = 19}), DesignError);
}

}  // namespace packing_store_test
}  // namespace kumiki::gen::packing
