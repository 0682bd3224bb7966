// SPDX-License-Identifier: Apache-2.0
// The first line of a shipped tree is the command that finds it: run again, it writes the file byte
// for byte. Some trees with every run of the tests, all of them in the long form.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/support/long_form.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;

// Those that are found within a second or two.
const std::set<std::string> quick{"popcount16.txt", "popcount16-area.txt", "popcount32-delay.txt"};

std::vector<std::string> shipped() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(KUMIKI_TEST_DIR "/../gen/compressor/data"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path().filename());
  std::sort(files.begin(), files.end());
  return files;
}

class ShippedTree : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedTree, ItsCommandFindsIt) {
  const std::string& file = GetParam();
  const std::string text =
      read_bytes(fs::path(KUMIKI_TEST_DIR "/../gen/compressor/data") / file);
  const std::string start = "# kumiki ";
  ASSERT_EQ(text.substr(0, start.size()), start) << file << " does not say how it was found";
  if (!quick.contains(file) && !long_form()) GTEST_SKIP() << "in the long form only";
  const std::string command = text.substr(start.size(), text.find('\n') - start.size());
  const fs::path folder = empty_folder();
  const auto r = kumiki(command + " --no-naive --trees '" + folder.string() + "'");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(read_bytes(folder / file), text);
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Trees, ShippedTree, ::testing::ValuesIn(shipped()), name_of);

}  // namespace
}  // namespace kumiki::test
