// SPDX-License-Identifier: Apache-2.0
// The seed of random tests: 1, or KUMIKI_SEED, which `./test long` draws anew. It is printed.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/support/long_form.h"

namespace kumiki::test {

inline std::uint64_t rotating_seed() {
  const char* given = std::getenv("KUMIKI_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 1;
  std::printf("KUMIKI_SEED=%llu\n", static_cast<unsigned long long>(seed));
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  return seed;
}

// A fixed part of a list: its first and its last element, and one of each `parts` between, whose
// place moves backwards so that no period of the list hides an element; in the long form all of it.
template <class T>
std::vector<T> this_time(const std::vector<T>& all, std::size_t parts) {
  if (long_form()) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((i + i / parts) % parts == 0 || i + 1 == all.size()) some.push_back(all[i]);
  std::printf("%zu of %zu, the others in ./test long\n", some.size(), all.size());
  return some;
}

}  // namespace kumiki::test
