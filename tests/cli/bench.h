// SPDX-License-Identifier: Apache-2.0
// kumiki-bench, as a user calls it.
#pragma once
#include <string>

#include "tests/support/program.h"

namespace kumiki::test {

inline Called kumiki_bench(const std::string& arguments) {
  return called(KUMIKI_BENCH_PROGRAM, arguments);
}

}  // namespace kumiki::test
