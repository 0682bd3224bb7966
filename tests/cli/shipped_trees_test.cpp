// SPDX-License-Identifier: Apache-2.0
// The first line of a shipped tree is the command that finds it: run again, it writes the file byte
// for byte. Every run of the tests takes some trees, the long form all of them; trees that say that
// an earlier solver found them are left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/bench.h"
#include "tests/support/long_form.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;

const fs::path folder_of_trees = fs::path(KUMIKI_TEST_DIR) / "../gen/blocks/compressor/data";
const std::string found = "# kumiki-bench ";

// Of the trees that ship, those whose first line begins so.
std::vector<std::string> shipped(const std::string& line) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder_of_trees))
    if (entry.path().extension() == ".txt" && read_bytes(entry.path()).starts_with(line))
      files.push_back(entry.path().filename());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(ShippedTrees, AllSayHowTheyWereFound) {
  EXPECT_GT(shipped(found).size(), 10u);
  EXPECT_EQ(shipped(found).size() + shipped("# by an earlier solver").size(), shipped("").size());
}

TEST(ShippedTrees, TheirCommandsFindThem) {
  const std::vector<std::string> quick{"popcount16-delay.txt", "xnor32-paper.txt",
                                       "xnor64-paper.txt"};
  EXPECT_THAT(shipped(found), ::testing::IsSupersetOf(quick));
  for (const auto& file : long_form() ? shipped(found) : quick) {
    const std::string text = read_bytes(folder_of_trees / file);
    const std::string command = text.substr(found.size(), text.find('\n') - found.size());
    const fs::path folder = empty_folder();
    const auto r = kumiki_bench(command + " --no-naive --trees '" + folder.string() + "'");
    EXPECT_EQ(r.status, 0) << file << '\n' << r.err;
    EXPECT_EQ(read_bytes(folder / file), text) << file;
  }
}

}  // namespace
}  // namespace kumiki::test
