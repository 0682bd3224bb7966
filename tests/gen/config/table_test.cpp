// SPDX-License-Identifier: Apache-2.0
#include "gen/config/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gen/config/help.h"
#include "gen/config/reader.h"
#include "ir/error.h"
#include "tests/gen/config/fake_layers.h"
#include "tests/support/golden.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::config {
namespace config_table_test {

using testing::HasSubstr;

enum class Colour { red, green };
struct Thing {
  int count = 3;
  std::int8_t small = 0;
  Colour colour = Colour::red;
  std::vector<int> list;
  std::array<int, 2> pair = {1, 1};
  FakeStage stage;
};

template <class F>
std::string design_error(F&& make) {
  return test::refusal<DesignError>([&] { make(); });
}

std::string flaw_of(std::initializer_list<FieldOf<Thing>> fields) {
  return design_error([&] { TableOf<Thing>("thing", "A thing.", fields); });
}

TEST(ConfigTable, MistakesOfItsAuthorAreFoundWhenItIsMade) {
  EXPECT_EQ(flaw_of({field("count", &Thing::count).range(5, 9).help("h")}),
            "table thing: /count: the default 3 is out of range; must be an integer from 5 to 9");
  EXPECT_EQ(flaw_of({field("count", &Thing::count)}),
            "table thing: count: it has no help; give it one");
  EXPECT_THAT(flaw_of({field("Count", &Thing::count).help("h")}), HasSubstr("lower case"));
  EXPECT_THAT(flaw_of({field("count", &Thing::count).range(9, 5).help("h")}), HasSubstr("empty"));
  EXPECT_THAT(
      flaw_of({field("count", &Thing::count).help("h"), field("count", &Thing::small).help("h")}),
      HasSubstr("given twice"));
  EXPECT_THAT(flaw_of({field("colour", &Thing::colour).help("h")}), HasSubstr("no choices"));
  EXPECT_THAT(
      flaw_of({field("colour", &Thing::colour).choices({{"green", Colour::green}}).help("h")}),
      HasSubstr("the default \"\" is not known"));
  EXPECT_THAT(flaw_of({field("colour", &Thing::colour)
                           .choices({{"red", Colour::red}, {"red", Colour::green}})
                           .help("h")}),
              HasSubstr("\"red\" is given twice"));
  EXPECT_THAT(flaw_of({field("stage", &Thing::stage).help("h")}), HasSubstr("no table"));
  EXPECT_THAT(flaw_of({field("list", &Thing::list).length(1, 2).help("h")}),
              HasSubstr("the default an empty list is too short"));
  EXPECT_EQ(flaw_of({field("count", &Thing::count).range(5, 9).required().help("h")}),
            "not refused");
}

TEST(ConfigTable, BuildersRefuseWhatTheMemberCannotHold) {
  EXPECT_EQ(design_error([] { field("small", &Thing::small).range(0, 128); }),
            "small: its range is larger than the type of its member");
  EXPECT_EQ(design_error([] { field("pair", &Thing::pair).length(1, 3); }),
            "pair: is not a list of variable length");
  EXPECT_EQ(design_error([] { field("list", &Thing::list).columns(1, 3); }),
            "list: is not a list of variable length");
}

struct Grown {
  int old_key = 1;
  int new_key = 1;
};

TEST(ConfigTable, AKeyOfALaterVersionIsRefusedInAnEarlierFile) {
  const TableOf<Grown> table{"grown",
                             "A table with a history.",
                             {field("old_key", &Grown::old_key).help("h"),
                              field("new_key", &Grown::new_key).since(2).help("h")}};
  for (const int version : {1, 2}) {
    Findings findings;
    const Source source("f", R"({"old_key": 5, "new_key": 6})", findings);
    Reader reader(findings);
    reader.version = version;
    EXPECT_EQ(table.check(reader, {.object = source.root()}), version == 2);
    if (version == 2) continue;
    EXPECT_EQ(to_string("f", findings.take(source.text()).at(0)),
              "f:1:27: /new_key: 6 is for a key that format 1 does not have; remove it, or set "
              "\"kumiki\" to 2 [key-of-later-version]");
  }
}

TEST(ConfigTable, HelpTellsEverything) {
  test::expect_golden("config/help-dot.txt", help(*fake_registry().find("dot")));
  test::expect_golden("config/help-types.txt", help(fake_registry()));
  test::expect_golden("config/help-document.txt", help(document_table()));
}

TEST(ConfigPrint, BreaksLongListsAndKeepsShortOnes) {
  const Json value = {{"empty", Json::array()},
                      {"none", Json::object()},
                      {"short", {1, 2.5, "x", nullptr, true}},
                      {"rows", {{1, 2}, {3, 4}}},
                      {"long", std::vector<int>(60, 1000)}};
  const std::string text = print(value);
  EXPECT_EQ(Json::parse(text), value);
  EXPECT_THAT(text, HasSubstr("\"short\": [1, 2.5, \"x\", null, true],\n"));
  EXPECT_THAT(text, HasSubstr("  \"rows\": [\n    [1, 2],\n    [3, 4]\n  ],\n"));
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  EXPECT_LE(longest, 100u);
  EXPECT_GT(longest, 90u);
}

TEST(ConfigPrint, IsUtf8WhateverTheProgramPutsIn) {
  Document d;
  d.name = "top";
  d.description = "bad \xFF byte";
  EXPECT_THAT(print(d), HasSubstr("bad \xEF\xBF\xBD byte"));
}

}  // namespace config_table_test
}  // namespace kumiki::gen::config
