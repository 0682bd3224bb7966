// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/support/image/test_picture.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(CliPicture, WritesThePictureItNames) {
  const fs::path folder = fs::path(KUMIKI_TEST_TMP) / "cli_picture";
  fs::remove_all(folder);
  for (const char* file : {"a.png", "b.pgm"}) {
    const auto r = kumiki(std::string("picture shapes --size 60x40 --seed 9 -o '") +
                          (folder / file).string() + "'");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("60 x 40, grey"));
    EXPECT_EQ(backends::read_image(folder / file), backends::test_picture("shapes", 60, 40, 9));
  }
  const auto r = kumiki("picture colour-bars --json -o '" + (folder / "c.ppm").string() + "'");
  EXPECT_EQ(nlohmann::json::parse(r.out)["width"], 256);
  EXPECT_EQ(backends::read_image(folder / "c.ppm").channels, 3);
}

TEST(CliPicture, ListsEveryPicture) {
  const auto text = kumiki("picture --list"), json = kumiki("picture --list --json");
  EXPECT_EQ(text.status, 0);
  const auto all = nlohmann::json::parse(json.out);
  EXPECT_EQ(all.size(), backends::test_pictures().size());
  for (const auto& p : all) EXPECT_THAT(text.out, HasSubstr(p["name"].get<std::string>()));
}

TEST(CliPicture, RefusesInWords) {
  auto refused = [](const std::string& arguments, int status, const std::string& why) {
    const auto r = kumiki("picture " + arguments);
    EXPECT_EQ(r.status, status) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_THAT(r.err, HasSubstr(why)) << arguments;
  };
  const std::string out = " -o '" + std::string(KUMIKI_TEST_TMP) + "/never.pgm'";
  refused("", 2, "needs a name");
  refused("chequer" + out, 2, "did you mean \"checker\"?");
  refused("lena" + out, 2, "white-pixel or colour-bars [");
  refused("checker", 2, "-o FILE");
  for (const char* size : {"0x4", "4x0", "8193x1", "4", "4x", "x4", "4X4", "-4x4", "4x4x4", "4x4 "})
    refused("checker --size '" + std::string(size) + "'" + out, 2, "is not a size");
  refused("colour-bars" + out, 4, "PGM holds grey pictures");
  EXPECT_FALSE(fs::exists(std::string(KUMIKI_TEST_TMP) + "/never.pgm"));
}

}  // namespace
}  // namespace kumiki::test
