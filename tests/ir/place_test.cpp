// SPDX-License-Identifier: Apache-2.0
#include "ir/place.h"

#include <gtest/gtest.h>

namespace kumiki::ir {
namespace place_test {

TEST(Place, IsInternedAndPrintsFileAndLine) {
  auto here = place(SourceLocation::current());
  EXPECT_EQ(to_string(here), "tests/ir/place_test.cpp:10");
  EXPECT_EQ(place("tests/ir/place_test.cpp", 10), here);
  EXPECT_EQ(to_string(PlaceId{}), "");
}

TEST(Place, NeverShowsAnAbsolutePath) {
  EXPECT_EQ(to_string(place("/home/someone/project/top.cpp", 7)), "project/top.cpp:7");
  EXPECT_EQ(to_string(place("/top.cpp", 7)), "top.cpp:7");
}

TEST(Place, CarriesTheLayerItWasMadeFor) {
  auto layer = origin("cfg.json: /layers/3");
  auto here = place("gen/x.cpp", 41, layer);
  EXPECT_EQ(to_string(here), "gen/x.cpp:41 (cfg.json: /layers/3)");
  EXPECT_EQ(origin_of(here), layer);
  EXPECT_NE(here, place("gen/x.cpp", 41));
}

}  // namespace place_test
}  // namespace kumiki::ir
