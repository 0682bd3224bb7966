// SPDX-License-Identifier: Apache-2.0
// Sweeps go through another part of their space with every seed. `./test` takes the seed from the
// commit and prints it; KUMIKI_SEED gives it back. `./test long` goes through all of it.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/long_form.h"
#include "tests/support/random.h"

namespace kumiki::test {

inline std::uint64_t seed() {
  const char* given = std::getenv("KUMIKI_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

// `some` of them, in their order, another choice with every seed and name; all in the long form.
template <class T>
std::vector<T> rotated(std::vector<T> all, std::size_t some, const std::string& name) {
  if (long_form() || some >= all.size()) return all;
  std::uint64_t mixed = seed();
  for (const char c : name) mixed = mixed * 1099511628211u + static_cast<unsigned char>(c);
  tests::Random random(mixed);
  std::vector<T> chosen;
  for (std::size_t left = all.size(), i = 0; i < all.size(); ++i, --left)
    if (random.below(left) < some - chosen.size()) chosen.push_back(all[i]);
  return chosen;
}

}  // namespace kumiki::test
