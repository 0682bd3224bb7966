// SPDX-License-Identifier: Apache-2.0
#include "ir/expected.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/ceil_div.h"

namespace kumiki {
namespace expected_test {

Expected<int, std::string> half(int n) {
  if (n % 2 != 0) return std::string("odd");
  return n / 2;
}

TEST(Expected, IsTheResultOrTheReason) {
  EXPECT_TRUE(half(6));
  EXPECT_EQ(*half(6), 3);
  EXPECT_FALSE(half(7));
  EXPECT_EQ(half(7).reason(), "odd");
  EXPECT_THROW((void)*half(7), std::bad_variant_access);
  EXPECT_THROW((void)half(6).reason(), std::bad_variant_access);
}

TEST(CeilDiv, RoundsUp) {
  EXPECT_EQ(ceil_div(6, 3), 2);
  EXPECT_EQ(ceil_div(7, 3), 3);
  EXPECT_EQ(ceil_div(0, 3), 0);
  EXPECT_EQ(ceil_div(-7, 3), -2);
  EXPECT_EQ(ceil_div(-6, 3), -2);
  EXPECT_EQ(ceil_div(7u, 8u), 1u);
}

}  // namespace expected_test
}  // namespace kumiki
