// SPDX-License-Identifier: Apache-2.0
// Conditions: values worked out by hand, precedence, kinds that do not fit, what cannot be read.
#include "gen/flow/sweep/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gen/flow/sweep/messages.h"
#include "ir/error.h"

namespace kumiki::flow::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json value_of(const std::string& name) {
  if (name == "three") return 3;
  if (name == "half") return 0.5;
  if (name == "scheme") return "shared-drain";
  if (name == "exact") return true;
  if (name == "stride") return Json::parse("[1, 2]");
  if (name == "least") return std::numeric_limits<std::int64_t>::min();
  return nullptr;
}

bool holds(const std::string& text) { return Expression(text).holds(value_of); }

TEST(Expression, HoldsAsWorkedOutByHand) {
  for (const char* text :
       {"three == 3", "three != 4", "three < 4", "three <= 3", "three > 2", "three >= 3",
        "1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "7 - 2 - 1 == 4", "7 / 2 == 3.5", "7 % 4 == 3",
        "-7 % 4 == -3", "8 / 2 / 2 == 2", "- three < 0", "-(1 + 2) == -3", "2 - -2 == 4",
        "half * 2 == 1", "half < 1 && half > 0", "5.5 % 2 == 1.5", "1e3 == 1000", "3.0 == three",
        "scheme == 'shared-drain'", "scheme != 'single'", "'a' < 'b'", "'' == ''", "exact",
        "!(three == 4)", "!!exact", "exact == true", "false || exact",
        // && binds more strongly than ||, comparisons more than both.
        "true || false && false", "!(false && true || false)", "three > 2 && three < 4 || false",
        "least < 0", "9223372036854775807 > 0"})
    EXPECT_TRUE(holds(text)) << text;
  for (const char* text : {"three == 4", "three < 3", "scheme == 'single'", "!exact",
                           "true && false || false", "false || !exact", "exact != true"})
    EXPECT_FALSE(holds(text)) << text;
}

TEST(Expression, NothingHoldsOfAValueThatIsNotThere) {
  for (const char* text : {"none == 1", "none != 1", "none < 1", "none >= 1", "none == 'a'",
                           "none + 1 > 0", "none", "none == none"})
    EXPECT_FALSE(holds(text)) << text;
  EXPECT_TRUE(holds("!none"));
}

TEST(Expression, WhatStandsRightOfADecidedOneIsNotAsked) {
  EXPECT_TRUE(holds("exact || 1 / 0 > 1"));
  EXPECT_FALSE(holds("!exact && 1 / 0 > 1"));
}

// Whole numbers with a sign and without are compared as the numbers that they are.
TEST(Expression, NumbersOf64BitsWithAndWithoutASign) {
  const auto holds = [](const std::string& text) {
    return Expression(text).holds(
        [](const std::string&) -> Json { return std::uint64_t{18446744073709551615U}; });
  };
  EXPECT_TRUE(holds("most > 0"));
  EXPECT_TRUE(holds("most - 1 > 0"));
  EXPECT_TRUE(holds("-1 < most"));
  EXPECT_TRUE(holds("most == most"));
  EXPECT_FALSE(holds("most == -1"));
  EXPECT_TRUE(holds("most % 10 == 5"));
  EXPECT_THROW((void)holds("most + 1 > 0"), Error);
  EXPECT_THROW((void)holds("0 - most < 0"), Error);
}

TEST(Expression, ATextIsCutBetweenCharacters) {
  try {
    Expression("terms a\u00a7\u00a7\u00a7\u00a7\u00a7\u00a7");
    FAIL() << "taken";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(),
                ::testing::HasSubstr("has \"a\u00a7\u00a7\u00a7\u00a7\u00a7\" at character 7"));
  }
}

TEST(Expression, NamesEveryNameOnceInItsOrder) {
  EXPECT_THAT(Expression("b < a && true && b == 'c' || _d1 > 2").names(),
              ElementsAre("b", "a", "_d1"));
}

std::string why_not(const std::string& text) {
  try {
    (void)holds(text);
  } catch (const DesignError& e) {
    EXPECT_EQ(e.code(), code::wrong_expression);
    return e.what();
  }
  return "holds";
}

TEST(Expression, SaysWhatCannotBeReadAndWhere) {
  EXPECT_EQ(
      why_not("three <"),
      "ends at character 8, but needs a number, a 'text', a name, \"!\", \"-\" or \"(\" there");
  EXPECT_THAT(why_not("three < < 4"), HasSubstr("has \"< 4\" at character 9"));
  EXPECT_THAT(why_not("three 4"), HasSubstr("has \"4\" at character 7, but needs an operator"));
  EXPECT_THAT(why_not("(three < 4"), HasSubstr("ends at character 11, but needs \")\" there"));
  EXPECT_THAT(why_not("scheme == 'single"), HasSubstr("a text without an end at character 11"));
  EXPECT_THAT(why_not("1 < three < 4"), HasSubstr("compares twice near character 11; "));
  EXPECT_THAT(why_not("1 < three <= 4"), HasSubstr("compares twice near character 11; "));
  EXPECT_THAT(why_not("1 < three < 4"), HasSubstr("write \"a < b && b < c\""));
  EXPECT_THAT(why_not("4x < 3"), HasSubstr("has a malformed number near character"));
  EXPECT_THAT(why_not("three = 4"), HasSubstr("has \"= 4\" at character 7"));
  EXPECT_THAT(why_not(""), HasSubstr("ends at character 1"));
  EXPECT_THAT(why_not(std::string(1000, '(')), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(why_not(std::string(1000, '-')), HasSubstr("nested deeper than 64"));
}

TEST(Expression, AQuotientByZeroHasNoValue) {
  for (const char* text : {"1 / 0 > 1", "1 % 0 > 1", "1 / (three - 3) <= 1", "1.5 % 0 < 2"})
    EXPECT_FALSE(holds(text)) << text;
  EXPECT_TRUE(holds("!(1 / 0 > 1)"));
}

TEST(Expression, RefusesKindsThatDoNotFit) {
  EXPECT_THAT(why_not("three == '3'"),
              HasSubstr("compares 3 == \"3\"; both must be numbers, or both texts"));
  EXPECT_THAT(why_not("scheme < 3"), HasSubstr("compares \"shared-drain\" < 3"));
  EXPECT_THAT(why_not("exact > false"), HasSubstr("compares true > false"));
  EXPECT_THAT(why_not("stride < stride"), HasSubstr("compares [1,2] < [1,2]"));
  EXPECT_EQ(why_not("stride == stride"), "holds");
  EXPECT_EQ(why_not("scheme + 1 > 0"), "has \"shared-drain\" + 1; both must be numbers");
  EXPECT_EQ(why_not("-exact < 0"), "has 0 - true; both must be numbers");
  EXPECT_THAT(why_not("three"), HasSubstr("has 3, but needs true or false there"));
  EXPECT_THAT(why_not("three && true"), HasSubstr("has 3, but needs true or false"));
  EXPECT_THAT(why_not("least - 1 > 0"), HasSubstr("leaves the range"));
  EXPECT_EQ(why_not("least % -1 == 0"), "holds");
}

}  // namespace
}  // namespace kumiki::flow::sweep
