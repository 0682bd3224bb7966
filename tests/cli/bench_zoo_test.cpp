// SPDX-License-Identifier: Apache-2.0
// `kumiki-bench zoo` on small models with the values of onnxruntime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/bench.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// Copies a model of tests/gen/onnx/random and its arrays.
void take(const std::string& model, const fs::path& folder, const std::string& name) {
  for (const char* part : {".onnx", ".in.npy", ".out.npy"})
    fs::copy_file(fs::path(KUMIKI_TEST_DIR) / "gen/onnx/random" / (model + part),
                  folder / (name + part));
}

json rows_of(const std::string& arguments, int status) {
  const auto r = kumiki_bench("zoo --json " + arguments);
  EXPECT_EQ(r.status, status) << r.err;
  return json::parse(r.out);
}

TEST(BenchZoo, EqualValuesAndPipelinesAreCounted) {
  const fs::path folder = empty_folder();
  take("3", folder, "dense.qdq-u8");
  const json rows = rows_of("--slices 64 --device zu9 " + folder.string(), 0);
  ASSERT_EQ(rows.size(), 1u);
  const json& row = rows[0];
  EXPECT_EQ(row["network"], "dense");
  EXPECT_EQ(row["form"], "qdq-u8");
  EXPECT_EQ(row["outcome"], "equal");
  EXPECT_EQ(row["values"], 3 * 2);
  EXPECT_EQ(row["differing"], 0);
  EXPECT_GT(row["images_a_second"], 0);
  for (const char* column :
       {"slices", "luts", "lutmem", "bram18", "uram", "clocks", "plan_seconds"})
    EXPECT_TRUE(row.contains(column)) << column << row;
  EXPECT_EQ(row["fits"], true);
}

TEST(BenchZoo, ADifferenceWithoutANoteIsAnError) {
  const fs::path folder = empty_folder();
  take("3", folder, "dense");
  std::string values = bytes_of(folder / "dense.out.npy");
  values.back() = static_cast<char>(values.back() ^ 1);  // the sign or the exponent of the last one
  write(folder / "dense.out.npy", values);
  const json row = rows_of(folder.string(), 1)[0];
  EXPECT_EQ(row["outcome"], "differs");
  EXPECT_EQ(row["differing"], 1);
  EXPECT_EQ(row["form"], "");
}

TEST(BenchZoo, RefusedOperatorsAreNamed) {
  const fs::path folder = empty_folder();
  take("0", folder, "conv.qoperator");
  take("3", folder, "dense.qdq-u8");
  std::string model = bytes_of(folder / "conv.qoperator.onnx");
  for (auto at = model.find("Conv"); at != std::string::npos; at = model.find("Conv", at))
    model.replace(at, 4, "Fold");
  write(folder / "conv.qoperator.onnx", model);
  const json rows = rows_of(folder.string(), 0);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["outcome"], "refused");
  EXPECT_EQ(rows[0]["operators"], "QLinearFold");
  EXPECT_EQ(rows[1]["outcome"], "equal");
  const auto text = kumiki_bench("zoo " + folder.string());
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, testing::ContainsRegex("QLinearFold +1 +conv"));
}

TEST(BenchZoo, AModelFailsThatHasNotTheValuesOfEachOutput) {
  const fs::path folder = empty_folder();
  take("3", folder, "dense");
  fs::copy_file(folder / "dense.out.npy", folder / "dense.out1.npy");
  EXPECT_EQ(rows_of(folder.string(), 1)[0]["outcome"], "failed");
  fs::remove(folder / "dense.out1.npy");
  fs::remove(folder / "dense.out.npy");
  EXPECT_EQ(rows_of(folder.string(), 1)[0]["outcome"], "failed");
}

TEST(BenchZoo, OptionsWithoutEffectAreRefused) {
  const fs::path folder = empty_folder();
  take("3", folder, "dense");
  for (const char* options : {"--device zu9", "--row nonsense", "--clocks 9 --slices 9",
                              "--clocks 9 --device nonsense"}) {
    const auto r = kumiki_bench("zoo " + folder.string() + " " + options);
    EXPECT_EQ(r.status, 2) << options;
    EXPECT_EQ(r.out, "") << options;
  }
}

}  // namespace
}  // namespace kumiki::test
