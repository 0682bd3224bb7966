// SPDX-License-Identifier: Apache-2.0
// The tables of compressor trees and neurons: their columns, and delays beside Yosys'.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/long_form.h"
#include "tests/support/program.h"
#include "tests/support/seed.h"

namespace kumiki::test {
namespace {

using nlohmann::json;

// What users count on, whatever else a row has.
void expect_columns(const json& rows, std::vector<std::string> columns) {
  ASSERT_FALSE(rows.empty());
  columns.insert(columns.end(), {"objective", "stages", "luts", "carries", "dense_slices", "gpcs",
                                 "bound", "proven", "seconds", "naive_luts"});
  for (const json& row : rows)
    for (const auto& column : columns) EXPECT_TRUE(row.contains(column)) << column << row;
}

TEST(Bench, RowsHaveTheColumnsThatWereAskedFor) {
  const auto compressor = kumiki("bench compressor --heap 'popcount 16' --objective stages --json");
  ASSERT_EQ(compressor.status, 0) << compressor.err;
  expect_columns(json::parse(compressor.out), {"heap"});
  const auto neuron = kumiki("bench neuron --heap 'neuron 32, embedded' --objective area --json");
  ASSERT_EQ(neuron.status, 0) << neuron.err;
  expect_columns(json::parse(neuron.out), {"n", "form", "embedded"});
}

// By the estimate of gen/blocks/compressor/timing.h, the same for both. Small neurons are where
// LUTs alone are hard to beat, heights just above a power of two where a level is lost.
TEST(Bench, DelayTreesAreNotSlowerThanYosys) {
  const std::string sizes = long_form()
                                ? "1 2 3 4 5 6 7 8 9 15 16 17 31 32 33 63 64 65 127 128 129 "
                                  "255 256 257 511 512 513 1023 1024"
                                : std::to_string(1 + rotating_seed() % 17);
  const auto all = kumiki("bench delay --json --terms " + sizes);
  ASSERT_EQ(all.status, 0) << all.err;
  const json rows = json::parse(all.out);
  EXPECT_GE(rows.size(), 5u) << "popcounts and four forms of neurons";
  for (const json& row : rows)
    EXPECT_LE(row["delay_ns"], row["naive_delay_ns"]) << row["heap"] << row["n"];
  const auto tall = kumiki("bench delay --json --no-naive --heap popcount --terms 255 256 257");
  ASSERT_EQ(tall.status, 0) << tall.err;
  // What Yosys' have of 256 bits are 7 levels and 9.3 ns.
  for (const json& row : json::parse(tall.out)) {
    EXPECT_LE(row["levels"], 7) << row["n"];
    EXPECT_LT(row["delay_ns"], 6.6) << row["n"];
  }
}

// Its runs of exits with leaves have a hundred positions, S of an exit is a LUT6_2 that gives 0.
TEST(Bench, NoPathLeadsThroughAnExit) {
  const auto r =
      kumiki("bench compressor --heap 'popcount 1024' --objective stages --no-naive --json");
  const json rows = json::parse(r.out);
  ASSERT_EQ(rows.size(), 1u) << r.err;
  EXPECT_LT(rows[0]["carry_bits"], 30) << rows[0];
  EXPECT_GT(rows[0]["carry_bits"], 0) << rows[0];
}

TEST(Bench, ARowThatIsNotThereIsRefused) {
  for (const char* table :
       {"compressor", "neuron", "delay", "neuron --objective delay", "dense", "reach"}) {
    const auto r = kumiki(fmt::format("bench {} --heap nonsense", table));
    EXPECT_EQ(r.status, 2) << table;
    EXPECT_EQ(r.out, "") << table;
    EXPECT_THAT(r.err, testing::HasSubstr("\"nonsense\"")) << table;
  }
}

}  // namespace
}  // namespace kumiki::test
