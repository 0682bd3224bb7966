// SPDX-License-Identifier: Apache-2.0
#include "ir/message.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace kumiki::message_test {
namespace {

TEST(Message, EveryRowIsWhole) {
  std::set<std::string_view> words;
  for (const Message& m : messages()) {
    SCOPED_TRACE(m.word);
    EXPECT_TRUE(words.insert(m.word).second);
    EXPECT_EQ(&message(m.code), &m);
    EXPECT_EQ(find_code(m.word), m.code);
    EXPECT_EQ(m.word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), m.word.npos);
    for (const auto sentence : {m.meaning, m.remedy})
      EXPECT_TRUE(sentence.ends_with('.')) << sentence;
    EXPECT_FALSE(m.example.empty());
  }
  EXPECT_GT(words.size(), 100u);
  EXPECT_EQ(find_code("no-such-code"), std::nullopt);
}

TEST(Message, ACodeIsSaidOnce) {
  EXPECT_EQ(with_code("a loop", Code::loop), "a loop [loop]");
  EXPECT_EQ(said(DesignError(Code::loop, "net [loop] is there twice")),
            "net [loop] is there twice [loop]");
  const Diagnostic lines{
      .code = Code::loop, .wrong = "one [loop]\ntwo [undriven]", .has_codes = true};
  EXPECT_EQ(said(DesignError(lines)), "one [loop]\ntwo [undriven]");
  EXPECT_EQ(within("a", DesignError(Code::loop, "b")),
            (Diagnostic{.code = Code::loop, .wrong = "a: b"}));
}

// What the table shows is what the program prints: golden files of other tests hold it. An example
// may have several lines.
TEST(Message, EveryExampleStandsInAGoldenFile) {
  std::string all = "\n";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::golden_path(""))) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      constexpr std::string_view program = "kumiki: ";
      all += (line.starts_with(program) ? line.substr(program.size()) : line) + "\n";
    }
  }
  for (const Message& m : messages())
    EXPECT_NE(all.find("\n" + with_code(std::string(m.example), m.code) + "\n"), all.npos)
        << "in no golden file: " << m.example << " [" << m.word << "]";
}

}  // namespace
}  // namespace kumiki::message_test
