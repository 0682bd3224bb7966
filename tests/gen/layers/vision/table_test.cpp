// SPDX-License-Identifier: Apache-2.0
// Every kind of stage against what OpenCV, numpy or exact fractions make of the same picture:
// tests/vectors/operations/vision.json, written by the script beside it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "gen/blocks/packing/plan.h"
#include "gen/layers/catalog.h"
#include "gen/layers/vision/reference.h"
#include "gen/layers/vision/request.h"
#include "gen/layers/vision/stages.h"

namespace kumiki::gen::vision {
namespace vision_table_test {

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

// At ties the quotient is not exact, so that which neighbour is even does not show: refused, not
// rounded in another way.
const std::set<std::string>& not_built() {
  static const std::set<std::string> all{"divide_6_half-even",
                                         "divide_6_half-even_absolute_6_bits"};
  return all;
}

TEST(VisionTable, EveryOperationIsWhatOthersMakeOfIt) {
  for (const Table& c : table()) {
    const Table& l = c["layer"];
    const Raster in = raster(c["picture"], l["width"], l["height"], l["channels"]);
    const Raster expected =
        raster(c["result"], c["result_width"], c["result_height"], c["result_channels"]);
    SCOPED_TRACE(c["name"].dump() + " by " + c["by"].dump() + ": " + l["stages"].dump());
    try {
      const auto pipeline = pipeline_of(l);
      EXPECT_FALSE(not_built().contains(c["name"])) << "is built now";
      EXPECT_EQ(filtered(pipeline, in), expected);
    } catch (const config::ConfigError& e) {
      EXPECT_TRUE(not_built().contains(c["name"])) << e.what();
      EXPECT_THAT(e.what(), ::testing::HasSubstr("no multiplication and shift divides all of"));
    }
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

}  // namespace vision_table_test
}  // namespace kumiki::gen::vision
