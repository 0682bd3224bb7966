// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace kumiki::backends {
namespace native_lanes_test {

TEST(Lanes, SlicesEveryWidthAndBack) {
  std::mt19937_64 random(1);
  for (unsigned width = 0; width <= 64; ++width) {
    std::array<std::uint64_t, lane_count> values, back;
    for (auto& v : values) v = random();
    std::vector<ir::Lanes> bits(width);
    slice(values, bits);
    for (unsigned b = 0; b < width; ++b)
      for (unsigned lane = 0; lane < lane_count; ++lane)
        ASSERT_EQ(bits[b] >> lane & 1, values[lane] >> b & 1) << width << ": " << b << ", " << lane;
    unslice(bits, back);
    auto mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    for (unsigned lane = 0; lane < lane_count; ++lane)
      ASSERT_EQ(back[lane], values[lane] & mask) << width << ", lane " << lane;
  }
}

}  // namespace native_lanes_test
}  // namespace kumiki::backends
