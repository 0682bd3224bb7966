// SPDX-License-Identifier: Apache-2.0
// Netlists in tests: what is expected is written as text.
//   EXPECT_THAT(design, is_isomorphic_to(R"(design ultrascale+ top t …)"));
#pragma once
#include <ostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "ir/isomorphism.h"
#include "ir/text.h"

namespace kumiki::ir {

inline void PrintTo(const Design& design, std::ostream* to) {
  *to << "\n" << print(design, {.places = true});
}

}  // namespace kumiki::ir

namespace kumiki::tests {

class IsIsomorphicTo {
 public:
  using is_gtest_matcher = void;
  explicit IsIsomorphicTo(std::string_view text) : expected_(ir::parse(text, "expected")) {}
  bool MatchAndExplain(const ir::Design& design, std::ostream* why) const {
    auto difference = ir::first_difference(design, *expected_);
    if (difference && why) *why << "which differs: " << *difference;
    return !difference;
  }
  void DescribeTo(std::ostream* to) const { *to << "is\n" << ir::print(*expected_); }
  void DescribeNegationTo(std::ostream* to) const { *to << "is not\n" << ir::print(*expected_); }

 private:
  std::shared_ptr<const ir::Design> expected_;
};

inline testing::Matcher<const ir::Design&> is_isomorphic_to(std::string_view text) {
  return IsIsomorphicTo(text);
}

}  // namespace kumiki::tests
