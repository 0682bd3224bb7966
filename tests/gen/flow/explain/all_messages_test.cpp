// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/explain/all_messages.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace kumiki::flow {
namespace {

TEST(AllMessages, EveryRowIsWhole) {
  std::set<std::string_view> words;
  for (const Message* m : all_messages()) {
    SCOPED_TRACE(m->word());
    EXPECT_TRUE(words.insert(m->word()).second);
    EXPECT_EQ(find_message(m->word()), m);
    EXPECT_EQ(m->word().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos);
    for (const auto sentence : {m->meaning, m->remedy})
      EXPECT_TRUE(sentence.ends_with('.')) << sentence;
    EXPECT_FALSE(m->example.empty());
  }
  EXPECT_GT(words.size(), 250u);
  EXPECT_EQ(find_message("no-such-code"), nullptr);
  EXPECT_EQ(find_message("zzz"), nullptr);
}

// Every table of the tree is among them.
TEST(AllMessages, NoTableIsMissing) {
  std::size_t rows = 0;
  for (const char* floor : {"ir", "backends", "gen"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(KUMIKI_TEST_DIR) / ".." / floor)) {
      if (entry.path().filename() != "messages.def") continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) rows += line.starts_with("KUMIKI_MESSAGE(");
    }
  EXPECT_EQ(rows, all_messages().size());
}

// What the table shows is what the program prints: golden files of other tests hold it. An example
// may have several lines.
TEST(AllMessages, EveryExampleStandsInAGoldenFile) {
  std::string all = "\n";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::golden_path(""))) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      constexpr std::string_view program = "kumiki: ";
      all += (line.starts_with(program) ? line.substr(program.size()) : line) + "\n";
    }
  }
  for (const Message* m : all_messages())
    EXPECT_NE(all.find("\n" + with_code(std::string(m->example), *m) + "\n"), all.npos)
        << "in no golden file: " << m->example << " [" << m->word() << "]";
}

}  // namespace
}  // namespace kumiki::flow
