// SPDX-License-Identifier: Apache-2.0
// Every kind of stage against what OpenCV, numpy or exact fractions make of the same picture:
// tests/vectors/operations/vision.json, written by the script beside it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "gen/catalog.h"
#include "gen/packing/plan.h"
#include "gen/vision/reference.h"
#include "gen/vision/request.h"
#include "gen/vision/stages.h"

namespace kumiki::gen::vision {
namespace {

using Table = nlohmann::json;

const Table& table() {
  static const Table all = [] {
    std::ifstream in(std::string(KUMIKI_TEST_DIR) + "/vectors/operations/vision.json");
    return Table::parse(in);
  }();
  return all;
}

Pipeline pipeline_of(const Table& layer) {
  Table l = layer;
  l["type"] = "vision";
  const Table document{{"kumiki", 1}, {"name", "t"}, {"layers", Table::array({l})}};
  const auto read = config::parse_document(document.dump(), "t.json", registry());
  return make_pipeline(read.layers[0].as<Request>(), {});
}

Raster raster(const Table& values, std::int64_t width, std::int64_t height, std::size_t channels) {
  return {width, height, channels, values.get<std::vector<std::int64_t>>()};
}

TEST(VisionTable, EveryOperationIsWhatOthersMakeOfIt) {
  for (const Table& c : table()) {
    const Table& l = c["layer"];
    const Raster in = raster(c["picture"], l["width"], l["height"], l["channels"]);
    const Raster expected =
        raster(c["result"], c["result_width"], c["result_height"], c["result_channels"]);
    EXPECT_EQ(filtered(pipeline_of(l), in), expected)
        << c["name"] << " by " << c["by"] << ": " << l["stages"];
  }
}

// A new kind of stage needs a row.
TEST(VisionTable, NoKindIsLeftOut) {
  std::set<std::string> missing{};
  for (const auto& choice : stage_choices()) missing.insert(choice.word);
  for (const Table& c : table())
    for (const Table& stage : c["layer"]["stages"])
      missing.erase(stage["kernel"].get<std::string>());
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

}  // namespace
}  // namespace kumiki::gen::vision
