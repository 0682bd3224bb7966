// SPDX-License-Identifier: Apache-2.0
// Our flags have to keep the compiler from mistakes that we know of. gcc 12.2 at -O2 takes the two
// bools below for equal, always: a threshold of pixels became a constant.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiki {
namespace {

constexpr unsigned constant(bool value) { return value ? 1U : 0U; }
[[gnu::noinline]] unsigned made(unsigned n) { return n; }

[[gnu::noinline]] std::vector<unsigned> digits(std::int64_t on, std::int64_t off, int width) {
  std::vector<unsigned> all;
  for (int i = 0; i < width; ++i) {
    const bool one = on >> i & 1, zero = off >> i & 1;
    all.push_back(one == zero ? constant(one) : made(one ? 7U : 8U));
  }
  return all;
}

TEST(Compiler, ComparesTwoBoolsThatItKnowsOneOf) {
  EXPECT_THAT(digits(255, 0, 4), testing::ElementsAre(7, 7, 7, 7));
  EXPECT_THAT(digits(0b0101, 0b0011, 4), testing::ElementsAre(1, 8, 7, 0));
}

}  // namespace
}  // namespace kumiki
