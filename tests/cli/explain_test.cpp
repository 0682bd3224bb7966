// SPDX-License-Identifier: Apache-2.0
// `kumiki explain`: what a message means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gen/flow/explain/all_messages.h"
#include "gen/flow/messages.h"
#include "ir/message.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using ::testing::HasSubstr;

TEST(CliExplain, AWrongCodeIsRefusedWithTheOneThatIsMeant) {
  const auto near = kumiki("explain unknown-comand");
  EXPECT_EQ(near.status, 2);
  EXPECT_EQ(near.out, "");
  EXPECT_EQ(near.err,
            "kumiki: unknown code \"unknown-comand\" (did you mean \"unknown-command\"?) "
            "[unknown-code]\n");
  const auto far = kumiki("explain frobnication");
  EXPECT_EQ(far.status, 2);
  EXPECT_EQ(far.err,
            "kumiki: unknown code \"frobnication\"; explain lists all codes [unknown-code]\n");
  // Nothing is explained beside it.
  EXPECT_EQ(kumiki("explain usage frobnication").out, "");
  EXPECT_EQ(kumiki("explain --markdown usage").status, 2);
  EXPECT_EQ(kumiki("explain --markdown --json").status, 2);
}

TEST(CliExplain, MeaningExampleAndRemedy) {
  const auto r = kumiki("explain unknown-command files-of-user");
  EXPECT_EQ(r.status, 0) << r.err;
  expect_golden("cli/explain.txt", r.out);
  EXPECT_EQ(kumiki("explain '[unknown-command]' '[files-of-user]'").out, r.out);
}

TEST(CliExplain, ListsEveryCode) {
  const auto r = kumiki("explain");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(r.out, '\n')), flow::all_messages().size());
  for (const Message* m : flow::all_messages()) {
    EXPECT_THAT(r.out, HasSubstr(std::string(m->word()) + " "));
    EXPECT_THAT(r.out, HasSubstr("  " + std::string(m->meaning) + "\n"));
  }
}

TEST(CliExplain, AsJson) {
  const auto all = nlohmann::json::parse(kumiki("explain --json").out);
  ASSERT_EQ(all.size(), flow::all_messages().size());
  const auto one = nlohmann::json::parse(kumiki("explain usage --json").out);
  ASSERT_EQ(one.size(), 1u);
  const Message& m = code::usage;
  EXPECT_EQ(one[0], (nlohmann::json{{"code", "usage"},
                                    {"meaning", m.meaning},
                                    {"example", with_code(std::string(m.example), m)},
                                    {"remedy", m.remedy}}));
}

TEST(CliExplain, ThePageOfTheDocumentationIsThisOne) {
  const auto r = kumiki("explain --markdown");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, read_bytes(KUMIKI_TEST_DIR "/../docs/messages.md"))
      << "kumiki explain --markdown > docs/messages.md";
}

}  // namespace
}  // namespace kumiki::test
