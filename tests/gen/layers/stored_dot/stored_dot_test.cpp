// SPDX-License-Identifier: Apache-2.0
// The plan of chains with weights in their slices: figures, texts, what is refused and why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/config/document.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/catalog.h"
#include "gen/layers/stored_dot/build.h"
#include "ir/error.h"
#include "ir/resources.h"
#include "tests/support/golden.h"

namespace kumiki::gen::stored_dot {
namespace stored_dot_stored_dot_test {

using packing::StoreEnable;
using packing::StoreKind;

packing::Limits column(int height) {
  packing::Limits limits;
  limits.column_height = height;
  return limits;
}

TEST(StoredDot, Figures) {
  const StoredPlan common = plan({.terms = 16, .chains = 4});
  EXPECT_EQ(common.slices(), 64);
  EXPECT_EQ(common.flip_flops_saved(), 4 * 16 * 8);
  EXPECT_EQ(common.store.load_cycles, 16);
  EXPECT_EQ(common.store.period, 31);
  EXPECT_EQ(common.store.request.tile_cycles, 31);
  EXPECT_EQ(common.latency(), 3 + 15);
  EXPECT_EQ(plan({.terms = 16, .enable = StoreEnable::Skewed}).store.period, 16);
  EXPECT_EQ(plan({.terms = 16, .kind = StoreKind::TwoEntries}).store.period, 16);
  EXPECT_EQ(plan({.terms = 16, .tile_cycles = 100}).store.request.tile_cycles, 100);
  const StoredPlan high = plan({.terms = 16, .chains = 2}, column(6));
  EXPECT_EQ(high.columns(), 3);
  EXPECT_EQ(high.input_shape().weights.size(), 6u);
  EXPECT_EQ(high.store.load_cycles, 6);
}

TEST(StoredDot, PairsAreTwoProductsASlice) {
  for (const auto& [terms, offset] : {std::pair{7, 1 << 17}, {8, 130048}}) {
    const StoredPlan p = plan({.terms = terms, .operation = Operation::pair});
    EXPECT_EQ(p.guard, 18);
    EXPECT_EQ(p.low_offset, offset);
    EXPECT_TRUE(p.lanes.holds());
    EXPECT_EQ(p.results(), 2);
    Builder builder;
    build_top(builder, build, p, p.input_shape());
    const auto resources = ir::count_resources(builder.design());
    EXPECT_EQ(resources.total.dsps, static_cast<std::uint64_t>(terms));
    // Half of the lane is taken away by an inverter, anything else by a subtraction.
    EXPECT_EQ(resources.total.carry_bits, offset == 1 << 17 ? 8U : 32U);
  }
}

TEST(StoredDot, PlanAsText) {
  test::expect_golden(
      "stored_dot/plan.txt",
      to_text(plan(
          {.terms = 7, .chains = 2, .operation = Operation::pair, .enable = StoreEnable::Skewed})) +
          "\n" + to_text(plan({.terms = 20, .tile_cycles = 64}, column(8))) + "\n" +
          to_text(plan({.terms = 3,
                        .kind = StoreKind::TwoEntries,
                        .side = packing::Side::Packed,
                        .weight_bits = 27,
                        .data_bits = 18})));
}

std::string refusal(const std::string& keys) {
  try {
    (void)config::parse_document(
        R"({"kumiki":1,"name":"n","layers":[{"type":"stored_dot","name":"s",)" + keys + "}]}",
        "cfg.json", registry());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StoredDot, Refusals) {
  std::string all;
  for (const char* keys :
       {R"("terms":16)", R"("chains":2)", R"("terms":0)", R"("terms":16,"tile_cycles":31)",
        R"("terms":16,"tile_cycles":30)", R"("terms":16,"enable":"skewed","tile_cycles":15)",
        R"("terms":16,"store":"two-entries","tile_cycles":15)",
        R"("terms":4,"store":"two-entries","enable":"skewed")",
        R"("terms":4,"side":"a","operation":"sum")", R"("terms":4,"weight_bits":19)",
        R"("terms":4,"side":"a","weight_bits":27)", R"("terms":4,"side":"a","data_bits":19)",
        R"("terms":4,"operation":"sum","data_bits":27)", R"("terms":8,"operation":"pair")",
        R"("terms":9,"operation":"pair")",
        // A guard of 13 bits is full to the last value: (2^13 - 1) / (2^13 - 1) = 1.
        R"("terms":2,"operation":"pair","data_bits":13,"weight_bits":1)",
        R"("terms":1,"operation":"pair","data_bits":14)",
        R"("terms":15,"weight_bits":18,"data_bits":27)",
        R"("terms":16,"weight_bits":18,"data_bits":27)", R"("terms":4,"store":"fifo")"})
    all += std::string(keys) + "\n  " + refusal(keys) + "\n";
  test::expect_golden("stored_dot/refusals.txt", all);
  EXPECT_NO_THROW(
      (void)plan({.terms = 1, .operation = Operation::pair, .weight_bits = 1, .data_bits = 13}));
  // The height of a column is the target's: here the skew of a new column makes the period longer.
  const Request tight{.terms = 16, .kind = StoreKind::TwoEntries, .tile_cycles = 16};
  EXPECT_NO_THROW((void)plan(tight));
  EXPECT_THROW((void)plan(tight, column(8)), DesignError);
}

}  // namespace stored_dot_stored_dot_test
}  // namespace kumiki::gen::stored_dot
