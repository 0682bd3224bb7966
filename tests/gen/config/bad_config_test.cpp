// SPDX-License-Identifier: Apache-2.0
// Every file of tests/golden/bad-config is refused with exactly the text beside it. A new case is a
// new .json and one run with KUMIKI_UPDATE_GOLDEN=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/gen/config/fake_layers.h"
#include "tests/support/golden.h"

namespace kumiki::gen::config {
namespace config_bad_config_test {

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_path("bad-config"))) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class BadConfig : public testing::TestWithParam<std::string> {};

TEST_P(BadConfig, IsRefusedWithThisText) {
  const std::string name = "bad-config/" + GetParam();
  try {
    parse_document(test::read_bytes(test::golden_path(name + ".json")), "cfg.json",
                   fake_registry());
    FAIL() << name << " was accepted";
  } catch (const ConfigError& error) {
    EXPECT_GT(error.count(), 0u);
    test::expect_golden(name + ".txt", error.what() + std::string("\n"));
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, BadConfig, testing::ValuesIn(cases()), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BadConfigs, AreManyAndHaveNoStrayText) {
  EXPECT_GE(cases().size(), 70u);
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_path("bad-config"))) {
    if (entry.path().extension() != ".txt") continue;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(entry).replace_extension(".json")))
        << entry.path() << " belongs to no case";
  }
}

}  // namespace config_bad_config_test
}  // namespace kumiki::gen::config
