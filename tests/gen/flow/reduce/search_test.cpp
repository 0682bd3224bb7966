// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace kumiki::reduction::search_test {
namespace {

using ::testing::ElementsAre;

// Letters, of which edits take some away.
struct Letters {
  std::string all;
};
std::string to_text(const Letters& letters) {
  std::string left = letters.all;
  std::erase(left, '.');
  return left;
}

std::vector<Edit<Letters>> removals(const Letters& of) {
  std::vector<Edit<Letters>> edits;
  for (std::size_t i = 0; i < of.all.size(); ++i)
    edits.push_back([i](Letters& l) { l.all[i] = '.'; });
  return edits;
}

bool has_all(const std::string& text, std::string_view wanted) {
  return std::ranges::all_of(wanted, [&](char c) { return text.find(c) != std::string::npos; });
}

const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";

TEST(ReduceSearch, NothingMoreCanGo) {
  for (const char* wanted : {"a", "z", "az", "cmx", "abcdefghijklm", "bdfhjlnprtvxz"}) {
    Search search([&](const std::string& t) { return has_all(t, wanted); }, {});
    Letters best{alphabet};
    EXPECT_TRUE(make_most(best, removals(best), search));
    EXPECT_EQ(to_text(best), wanted);
    EXPECT_FALSE(search.spent());
  }
}

// A letter that may go only after another one has.
TEST(ReduceSearch, WhatHoldsLaterIsTriedAgain) {
  const auto good = [](const std::string& t) {
    const bool a = t.find('a') != std::string::npos, b = t.find('b') != std::string::npos;
    return t.find('z') != std::string::npos && (a || !b);
  };
  Search search(good, {});
  Letters best{"abyz"};
  make_most(best, removals(best), search);
  EXPECT_EQ(to_text(best), "z");
}

TEST(ReduceSearch, WhatIsNeededStays) {
  Search search([](const std::string& t) { return t.size() == 4; }, {});
  Letters best{"abcd"};
  EXPECT_FALSE(make_most(best, removals(best), search));
  EXPECT_EQ(to_text(best), "abcd");
  Letters none{""};
  EXPECT_FALSE(make_most(none, removals(none), search));
}

TEST(ReduceSearch, AsksTheSameInTheSameOrderAndNothingTwice) {
  std::vector<std::string> asked[2];
  for (auto& list : asked) {
    Search search(
        [&](const std::string& t) {
          list.push_back(t);
          return has_all(t, "fgq");
        },
        {});
    Letters best{alphabet};
    make_most(best, removals(best), search);
    EXPECT_EQ(search.tries(), list.size());
  }
  EXPECT_EQ(asked[0], asked[1]);
  std::ranges::sort(asked[0]);
  EXPECT_EQ(std::ranges::adjacent_find(asked[0]), asked[0].end());
}

TEST(ReduceSearch, TheBudgetOfTriesIsKept) {
  for (std::size_t most = 1; most < 40; ++most) {
    std::size_t asked = 0;
    Search search(
        [&](const std::string& t) {
          ++asked;
          return has_all(t, "cmx");
        },
        {.tries = most});
    Letters best{alphabet};
    make_most(best, removals(best), search);
    EXPECT_LE(asked, most);
    EXPECT_EQ(search.tries(), asked);
    EXPECT_TRUE(has_all(to_text(best), "cmx"));
    EXPECT_TRUE(search.spent() || to_text(best) == "cmx") << most;
  }
}

TEST(ReduceSearch, EndsWhenItIsEnough) {
  std::size_t asked = 0;
  Search search(
      [&](const std::string& t) {
        ++asked;
        return has_all(t, "cmx");
      },
      {.is_enough = [&] { return asked == 8; }});
  Letters best{alphabet};
  make_most(best, removals(best), search);
  EXPECT_EQ(asked, 8u);
  EXPECT_TRUE(search.spent());
  EXPECT_LT(to_text(best).size(), alphabet.size());
}

}  // namespace
}  // namespace kumiki::reduction::search_test
