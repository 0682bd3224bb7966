// SPDX-License-Identifier: Apache-2.0
// `kumiki search` beside tables of all points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/sweeps.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class CliSearch : public WithSweeps {};

// Beside a sweep of the same points whose table is gone through by hand.
TEST_F(CliSearch, FindsWhatATableOfAllPointsSays) {
  const std::string vary =
      R"("vary": {"/layers/0/terms": {"from": 2, "to": 12}, "/layers/0/scheme": ["carry-lane-drain", "shared-drain", "wp487-int8"]})";
  ASSERT_EQ(kumiki("sweep " + sweep(vary + R"(, "do": ["timing"])") + " -o " + path("out")).status,
            1);
  const json rows = table()["rows"];
  const auto best_of = [&](const char* figure, bool most, const auto& meets) {
    json best;
    for (const json& row : rows)
      if (row["status"] == "ok" && meets(row["figures"]) &&
          (best.is_null() || (most ? row["figures"][figure] > best["figures"][figure]
                                   : row["figures"][figure] < best["figures"][figure])))
        best = row;
    return best;
  };
  const auto search = [&](const std::string& find, const std::string& more = {}) {
    const auto r =
        kumiki("search " + sweep(vary + ", \"find\": " + find + more, "search.json") + " --json");
    return std::pair{r.status, json::parse(r.out)};
  };
  // A condition of plans, of netlists, a goal of netlists, the largest.
  {
    const auto [status, r] = search(R"({"of": "slices", "subject_to": ["macs_per_clock >= 10"]})");
    EXPECT_EQ(status, 0);
    EXPECT_EQ(r["best"]["point"], best_of("slices", false, [](const json& f) {
                return f["macs_per_clock"] >= 10;
              })["point"]);
    EXPECT_EQ(r["legal"].get<int>() + r["refused"].get<int>(), 33);
    EXPECT_EQ(r["built"], 0);
  }
  {
    const auto meets = [](const json& f) {
      return f["macs_per_clock"] >= 10 && f["lut_per_mac"] < 3;
    };
    const auto [status, r] =
        search(R"({"of": "slices", "subject_to": ["macs_per_clock >= 10", "lut_per_mac < 3"]})");
    EXPECT_EQ(status, 0);
    EXPECT_EQ(r["best"]["point"], best_of("slices", false, meets)["point"]);
    EXPECT_GT(r["built"], 0);
    EXPECT_GT(r["not_built"], 0);
  }
  {
    const auto [status, r] =
        search(R"({"of": "luts", "subject_to": ["layers_0_terms > 5", "levels <= 3"]})");
    EXPECT_EQ(status, 0);
    json best;
    for (const json& row : rows)
      if (row["status"] == "ok" && row["values"]["/layers/0/terms"] > 5 &&
          row["figures"]["levels"] <= 3 &&
          (best.is_null() || row["figures"]["luts"] < best["figures"]["luts"]))
        best = row;
    EXPECT_EQ(r["best"]["point"], best["point"]);
  }
  {
    const auto [status, r] =
        search(R"({"wish": "most", "of": "macs_per_clock", "subject_to": ["slices <= 6"]})",
               R"(, "collect": {"pareto": ["slices", "macs_per_clock"]})");
    EXPECT_EQ(status, 0);
    EXPECT_EQ(r["best"]["point"], best_of("macs_per_clock", true,
                                          [](const json& f) { return f["slices"] <= 6; })["point"]);
    EXPECT_GT(r["front"].size(), 1U);
    for (const json& one : r["front"]) EXPECT_LE(one["figures"]["slices"], 6);
  }
}

TEST_F(CliSearch, SaysThatNothingMeetsTheConditions) {
  const auto r = kumiki("search " + sweep(R"("vary": {"/layers/0/terms": [3, 4]},
    "find": {"of": "slices", "subject_to": ["macs_per_clock > 7", "terms < 4"]})"));
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("no configuration meets all conditions\n  1 of 2 meet "
                               "macs_per_clock > 7\n  1 of 2 meet terms < 4"));
}

TEST_F(CliSearch, WritesTheBestConfiguration) {
  const auto file = sweep(R"("vary": {"/layers/0/terms": [5, 4]}, "find": {"of": "slices"})");
  const auto r = kumiki("search " + file + " -o " + path("best.json"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(json::parse(text("best.json"))["layers"][0]["terms"], 4);
  EXPECT_EQ(kumiki("check " + path("best.json")).status, 0);
  EXPECT_EQ(kumiki("search " + file + " -o " + path("best.json")).status, 4);
  EXPECT_EQ(kumiki("search " + file + " --force -o " + path("best.json")).status, 0);
}

TEST_F(CliSearch, KnowsItsFileFromASweep) {
  const auto none = kumiki("search " + terms_and_schemes());
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err,
              HasSubstr(R"(sweep.json: "find" is missing; give one such as {"wish": "least", )"
                        R"("of": "slices"}, or run kumiki sweep [)"));
  const auto both = kumiki("search " + sweep(R"("do": ["sim"], "find": {"of": "slices"})"));
  EXPECT_EQ(both.status, 3);
  EXPECT_THAT(
      both.err,
      HasSubstr(R"(/do: ["sim"] has no effect in a search; remove it; a search does what its )"
                "figures need ["));
  const auto other = kumiki("sweep " + sweep(R"("find": {"of": "slices"})"));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(
      other.err,
      HasSubstr(
          "sweep.json: \"find\" has no effect in a sweep; remove it, or run kumiki search ["));
  EXPECT_THAT(kumiki("search " + sweep(R"("find": {"of": "exact"})")).err,
              HasSubstr("/find/of: \"exact\" is not an amount; use another figure ["));
}

}  // namespace
}  // namespace kumiki::test
