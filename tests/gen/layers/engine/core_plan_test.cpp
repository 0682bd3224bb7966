// SPDX-License-Identifier: Apache-2.0
// Shapes that the core of an engine has, and what the others lack.
#include "gen/layers/engine/hardware/core_plan.h"

#include <gtest/gtest.h>

#include "gen/layers/engine/messages.h"
#include "ir/error.h"
#include "tests/support/messages.h"

namespace kumiki::gen::engine::core_plan_test {

std::string refusal(const EngineShape& shape, bool is_double = false) {
  try {
    plan_core(shape, is_double);
  } catch (const DesignError& e) {
    EXPECT_EQ(e.code(), code::no_core);
    return e.what();
  }
  return "";
}

TEST(CorePlan, ShapesThatItHas) {
  for (const std::int64_t columns : {4, 8, 16, 32})
    EXPECT_EQ(refusal({.rows = 32, .columns = columns}), "") << columns;
  for (const std::int64_t columns : {16, 32})
    EXPECT_EQ(refusal({.rows = 32, .columns = columns}, true), "") << columns;
  EXPECT_EQ(refusal({.rows = 6, .columns = 3, .beat_parts = 2}, true), "");
  EXPECT_EQ(refusal({.rows = 32, .columns = 2}), "");
  EXPECT_EQ(refusal({.rows = 16, .columns = 4, .places = 8, .weight_words = 2}), "");
  for (const std::int64_t rows : {1, 2, 4})
    for (const bool is_double : {false, true})
      EXPECT_EQ(refusal({.rows = 16, .columns = 4, .beat_parts = rows}, is_double), "") << rows;
}

TEST(CorePlan, WhatOtherShapesLack) {
  EXPECT_EQ(refusal({.rows = 16, .columns = 1}),
            "1 columns: a beat of the stream needs two; use 2 or more");
  for (const auto& [rows, columns] : {std::pair{64, 2}, {12, 4}, {4, 64}, {32, 12}, {32, 0}})
    EXPECT_NE(refusal({.rows = rows, .columns = columns}), "") << rows << ", " << columns;
  EXPECT_EQ(refusal({.rows = 64, .columns = 2}),
            "64 rows and 2 columns: rows must be 1, 2, 4, 8 or 16 times the columns");
  EXPECT_EQ(refusal({.rows = 512, .columns = 64}), "512 rows: the core has at most 256");
  EXPECT_EQ(refusal({.rows = 3, .columns = 3}, true),
            "3 rows on two clocks: the rows must be even");
  for (const std::int64_t rows : {0, 3, 8})
    EXPECT_EQ(refusal({.rows = 16, .columns = 4, .beat_parts = rows}),
              std::to_string(4 * rows) +
                  " bytes a beat and 4 columns: there must be 4 or twice, four times, ... as many, "
                  "and at most 16");
  for (const std::int64_t words : {0, 1, 3, 500})
    EXPECT_NE(refusal({.weight_words = words}), "") << words;
  EXPECT_EQ(refusal({.weight_words = 500}),
            "a ring of 500 words: the words must be a power of two, at least 2");
  for (const std::int64_t places : {0, 4, 65}) EXPECT_NE(refusal({.places = places}), "") << places;
  EXPECT_EQ(refusal({.places = 65}), "65 places: there must be 8 or more, and a multiple of 4");
}

TEST(CorePlan, BytesOfABeat) {
  EXPECT_EQ(beat_parts_of(16, 32, 16), 1);
  EXPECT_EQ(beat_parts_of(32, 32, 16), 2);
  EXPECT_EQ(beat_parts_of(64, 64, 4), 16);
  for (const std::int64_t bytes : {0, 8, 24, 48, 64})
    EXPECT_THROW(beat_parts_of(bytes, 32, 16), DesignError) << bytes;
}

}  // namespace kumiki::gen::engine::core_plan_test
