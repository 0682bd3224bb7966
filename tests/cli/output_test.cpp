// SPDX-License-Identifier: Apache-2.0
// What becomes of the other files in a folder of results: the user's, and those of other commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CliOutput : public InFolder {
 protected:
  std::string popcount(const std::string& name, int bits) const {
    return config(
        R"({"kumiki": 1, "name": ")" + name +
        R"(", "target": {"family": "7series"}, "layers": [{"type": "popcount", "bits": )" +
        std::to_string(bits) + "}]}");
  }
  Called call(const std::string& arguments) const {
    return kumiki(arguments + " --cache " + path("cache"));
  }
  bool has(const std::string& name) const { return fs::exists(fs::symlink_status(folder_ / name)); }
};

TEST_F(CliOutput, FilesOfTheUserStayUnlessForced) {
  const auto gen = "gen " + popcount("ones", 6) + " -o " + path("out");
  fs::create_directories(folder_ / "out/.tmp-backup");
  write("out/.tmp-backup/letter", "mine");
  write("out/ones.v", "mine");
  const auto refused = call(gen);
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.err, HasSubstr("ones.v"));
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(text("out/ones.v"), "mine");
  EXPECT_FALSE(has("out/manifest.json"));
  EXPECT_EQ(call(gen + " --force").status, 0);
  EXPECT_EQ(call(gen).status, 0);
  EXPECT_THAT(text("out/ones.v"), HasSubstr("module ones"));
  EXPECT_EQ(text("out/.tmp-backup/letter"), "mine");
  // Another project: with a word, and its files go.
  const auto other = call("gen " + popcount("twos", 5) + " -o " + path("out"));
  EXPECT_EQ(other.status, 0);
  EXPECT_THAT(other.err, HasSubstr("the files of \"ones\" are replaced by those of \"twos\""));
  EXPECT_FALSE(has("out/ones.v"));
}

TEST_F(CliOutput, ACommandKeepsWhatAnotherMadeOfTheSameNetlist) {
  const auto gen = [&](int bits, const std::string& more) {
    return call("gen " + popcount("ones", bits) + more + " -o " + path("out")).status;
  };
  const std::string vectors = "out/vectors/stimulus.hex";
  ASSERT_EQ(gen(6, " --vectors 20"), 0);
  ASSERT_TRUE(has(vectors));
  ASSERT_EQ(call("sim " + path("cfg.json") + " --with native --cycles 20 -o " + path("out")).status,
            0);
  EXPECT_TRUE(has(vectors));
  EXPECT_THAT(text("out/manifest.json"), HasSubstr("vectors/stimulus.hex"));
  // Not of another netlist.
  popcount("ones", 5);
  ASSERT_EQ(call("sim " + path("cfg.json") + " --with native --cycles 20 -o " + path("out")).status,
            0);
  EXPECT_FALSE(has(vectors));
  // Nor what the command itself does not write again.
  ASSERT_EQ(gen(6, " --vectors 20"), 0);
  ASSERT_EQ(gen(6, ""), 0);
  EXPECT_FALSE(has(vectors));
}

TEST_F(CliOutput, PicturesGoBesideOtherFiles) {
  popcount("ones", 6);
  const std::string plan = "plan " + path("cfg.json") + " -o " + path("pictures");
  ASSERT_EQ(call(plan).status, 0);
  std::string name;
  for (const auto& entry : fs::directory_iterator(folder_ / "pictures"))
    if (entry.path().extension() == ".svg") name = "pictures/" + entry.path().filename().string();
  ASSERT_NE(name, "");
  ASSERT_EQ(call(plan).status, 0);
  popcount("ones", 7);
  ASSERT_EQ(call(plan).status, 0);
  write(name, "drawn by hand");
  EXPECT_EQ(call(plan).status, 4);
  EXPECT_EQ(text(name), "drawn by hand");
  EXPECT_EQ(call(plan + " --force").status, 0);
}

TEST_F(CliOutput, LinksAreKept) {
  fs::create_symlink("nowhere", folder_ / "out");
  const auto gen = call("gen " + popcount("ones", 6) + " -o " + path("out"));
  EXPECT_EQ(gen.status, 4);
  EXPECT_THAT(gen.err, HasSubstr("symbolic link to nowhere"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "out"));
  fs::create_symlink("nowhere.png", folder_ / "a.png");
  const auto picture = kumiki("picture checker --size 16x16 -o " + path("a.png"));
  EXPECT_EQ(picture.status, 4);
  EXPECT_TRUE(fs::is_symlink(folder_ / "a.png"));
  fs::create_directories(folder_ / ".tmp-backup");
  write(".tmp-backup/letter", "mine");
  EXPECT_EQ(kumiki("picture checker --size 16x16 -o " + path("b.png")).status, 0);
  EXPECT_EQ(text(".tmp-backup/letter"), "mine");
}

}  // namespace
}  // namespace kumiki::test
