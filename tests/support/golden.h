// SPDX-License-Identifier: Apache-2.0
// Text compared with a file under tests/golden. To accept new texts run the tests once with
// KUMIKI_UPDATE_GOLDEN=1 in the environment and read the difference before committing it.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace kumiki::test {

inline std::filesystem::path golden_path(std::string_view name) {
  return std::filesystem::path(KUMIKI_TEST_DIR) / "golden" / name;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `name` is relative to tests/golden: "bad-config/comment.txt".
inline void expect_golden(std::string_view name, const std::string& actual) {
  const std::filesystem::path path = golden_path(name);
  if (const char* update = std::getenv("KUMIKI_UPDATE_GOLDEN");
      update && update == std::string("1")) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
  }
  ASSERT_TRUE(std::filesystem::exists(path))
      << path << " is missing; KUMIKI_UPDATE_GOLDEN=1 writes it. It would be:\n"
      << actual;
  EXPECT_EQ(actual, read_bytes(path)) << "differs from " << path;
}

}  // namespace kumiki::test
