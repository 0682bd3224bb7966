// SPDX-License-Identifier: Apache-2.0
// The corpora through the targets, without libFuzzer: what was once found stays found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/targets/targets.h"

namespace kumiki::fuzz {
namespace {

std::size_t replay(const std::string& corpus, void (*target)(std::string_view)) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(KUMIKI_TEST_DIR) + "/corpus/" + corpus)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    target(bytes);
    // Cut short anywhere near its end, and with a byte changed in the middle.
    for (std::size_t less = 1; less < 8 && less < bytes.size(); ++less)
      target(std::string_view(bytes).substr(0, bytes.size() - less));
    std::string changed = bytes;
    if (!changed.empty()) changed[changed.size() / 2] ^= 0x15;
    target(changed);
    ++files;
  }
  return files;
}

TEST(FuzzCorpus, Configuration) { EXPECT_GE(replay("configuration", configuration), 10u); }
TEST(FuzzCorpus, Text) { EXPECT_GE(replay("text", text), 5u); }
TEST(FuzzCorpus, Numbers) { EXPECT_GE(replay("numbers", numbers), 8u); }

}  // namespace
}  // namespace kumiki::fuzz
