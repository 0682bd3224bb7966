// SPDX-License-Identifier: Apache-2.0
// Slow proofs have a smaller twin that every run of the tests sees; `./test long` runs them whole.
#pragma once
#include <cstdlib>

namespace kumiki::test {

inline bool long_form() { return std::getenv("KUMIKI_LONG") != nullptr; }

}  // namespace kumiki::test
