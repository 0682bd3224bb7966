// SPDX-License-Identifier: Apache-2.0
// Whole layers by the definition against numpy: tests/vectors/operations/array.json, written by
// requant.py beside it. Order of weights, padding, groups, pooling, rounding, saturation.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "gen/layers/array/reference.h"

namespace kumiki::gen::array {
namespace array_table_test {

using Table = nlohmann::json;

LayerJob job_of(const Table& row) {
  LayerJob job;
  if (row["type"] == "fc") {
    job.shape = {.name = "l", .kind = Kind::fc, .fc = {row["inputs"], row["outputs"], 1}};
  } else {
    job.shape = {.name = "l",
                 .kind = Kind::conv,
                 .conv = {.in_channels = row["channels"],
                          .height = row["height"],
                          .width = row["width"],
                          .out_channels = row["outputs"],
                          .kernel = row["kernel"],
                          .stride = row["stride"],
                          .dilation = row["dilation"],
                          .groups = row["groups"],
                          .padding_before = row["padding"][0],
                          .padding_after = row["padding"][1]}};
  }
  if (!row["pool"].is_null())
    job.pool = {row["pool"][0] == "max" ? PoolKind::max : PoolKind::average, row["pool"][1]};
  job.relu = row["relu"];
  job.weights = Weights(row["weights"].get<std::vector<std::int32_t>>());
  job.bias = row["bias"].get<std::vector<std::int64_t>>();
  job.multiplier = row["multiplier"].get<std::vector<std::uint32_t>>();
  job.shift = row["shift"].get<std::vector<int>>();
  return job;
}

TEST(ArrayTable, LayersAreWhatNumpyMakesOfThem) {
  std::ifstream in(std::string(KUMIKI_TEST_DIR) + "/vectors/operations/array.json");
  for (const Table& row : Table::parse(in)) {
    const LayerJob job = job_of(row);
    Tensor x(job.in_shape());
    x.values = row["x"].get<std::vector<std::int32_t>>();
    const bool packed = row["bits"] == 8;
    const Tensor y = reference(
        job, x, {.data_bits = row["bits"], .sum_bits = packed ? 32 : 48, .multiplies = packed});
    EXPECT_EQ(y.values, row["y"].get<std::vector<std::int32_t>>()) << row["name"];
  }
}

}  // namespace array_table_test
}  // namespace kumiki::gen::array
