// SPDX-License-Identifier: Apache-2.0
// Accumulators become operands as exact fractions say (tests/vectors/operations/requant.json,
// written by the script beside it): in the definition, in the slice and in gates.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "gen/blocks/requant/slice.h"
#include "ir/error.h"
#include "tests/gen/blocks/requant/evaluate.h"

namespace kumiki::gen::requant {
namespace requant_table_test {

using namespace arith;

using Table = nlohmann::json;

TEST(RequantTable, DefinitionAndSliceAreWhatFractionsSay) {
  std::ifstream in(std::string(KUMIKI_TEST_DIR) + "/vectors/operations/requant.json");
  const std::map<std::string, Rounding> modes{{"half-even", Rounding::half_even},
                                              {"half-away", Rounding::half_away},
                                              {"half-up", Rounding::half_up},
                                              {"down", Rounding::down},
                                              {"up", Rounding::up},
                                              {"to-zero", Rounding::to_zero}};
  int planned = 0;
  for (const Table& row : Table::parse(in)) {
    const std::int64_t scale = row["scale"], zero_point = row["zero_point"], bias = row["bias"];
    RequantRequest r{.accumulator = signed_range(22),
                     .bias = Interval::point(bias),
                     .scale = Interval::point(scale),
                     .shift = row["shift"],
                     .zero_point = Interval::point(zero_point),
                     .rounding = modes.at(row["rounding"].get<std::string>()),
                     .clamp = {row["clamp"][0].get<int>(), row["clamp"][1].get<int>()}};
    std::optional<RequantPlan> slice;
    try {
      slice = plan_requant(r);
      ++planned;
    } catch (const DesignError&) {  // not every request has a slice
    }
    for (std::size_t i = 0; i < row["acc"].size(); ++i) {
      const RequantValues v{row["acc"][i], scale, bias, zero_point};
      const std::int64_t q = row["q"][i];
      EXPECT_EQ(requantise(r, v), q) << v.accumulator << " in " << row.dump();
      if (!slice) continue;
      EXPECT_EQ(evaluate(*slice, v), q) << v.accumulator << " in " << row.dump();
    }
  }
  EXPECT_GT(planned, 120);
}

}  // namespace requant_table_test
}  // namespace kumiki::gen::requant
