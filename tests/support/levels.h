// SPDX-License-Identifier: Apache-2.0
// Levels of logic between registers against what a plan promises.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "backends/timing/levels.h"

namespace kumiki::test {

inline void expect_levels(const ir::Design& design, std::int64_t most, const std::string& of = "") {
  const auto depth = backends::logic_depth(design);
  EXPECT_LE(depth.total(), most) << of << fmt::format("\n{}", fmt::join(depth.path, "\n"));
}

}  // namespace kumiki::test
