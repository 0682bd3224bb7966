// SPDX-License-Identifier: Apache-2.0
// Seeds that differ every day, so that small tests see much in the long run. The seed is printed,
// and KUMIKI_SEED repeats it.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/support/long_form.h"

namespace kumiki::test {

inline std::uint64_t rotating_seed() {
  const char* given = std::getenv("KUMIKI_SEED");
  const auto today = std::chrono::duration_cast<std::chrono::hours>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count() /
                     24;
  const std::uint64_t seed =
      given ? std::strtoull(given, nullptr, 10) : static_cast<std::uint64_t>(today);
  std::printf("KUMIKI_SEED=%llu\n", static_cast<unsigned long long>(seed));
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  return seed;
}

// One of so many parts of a list, another one with every seed; in the long form all of it.
template <class T>
std::vector<T> this_time(const std::vector<T>& all, std::size_t parts) {
  if (long_form()) return all;
  std::vector<T> some;
  for (std::size_t i = rotating_seed() % parts; i < all.size(); i += parts) some.push_back(all[i]);
  return some;
}

}  // namespace kumiki::test
