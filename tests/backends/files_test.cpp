// SPDX-License-Identifier: Apache-2.0
#include "backends/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "backends/process.h"
#include "backends/sha256.h"
#include "ir/error.h"

namespace kumiki::tests {
namespace {

namespace fs = std::filesystem;
using backends::OutputSet;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::set<std::string> everything_below(const fs::path& folder) {
  std::set<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    all.insert(fs::relative(entry.path(), folder).string());
  return all;
}

OutputSet set_of(std::initializer_list<std::pair<const char*, const char*>> files) {
  OutputSet set;
  for (auto& [name, text] : files) set.add(name, text);
  return set;
}

TEST(Sha256, IsTheOneOfFips180) {
  EXPECT_EQ(backends::sha256(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(backends::sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(backends::sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(OutputSet, WritesAllFilesAndNothingElse) {
  backends::TemporaryFolder folder;
  set_of({{"a.v", "first\n"}, {"primitives/b.v", ""}}).commit(folder.path() / "new" / "deep");
  EXPECT_EQ(everything_below(folder.path()),
            (std::set<std::string>{"new", "new/deep", "new/deep/a.v", "new/deep/primitives",
                                   "new/deep/primitives/b.v"}));
  EXPECT_EQ(text_of(folder.path() / "new/deep/a.v"), "first\n");
}

TEST(OutputSet, RefusesNamesThatLeaveTheDirectoryOrComeTwice) {
  OutputSet set;
  for (const char* name : {"", "/etc/x", "../x", "a/../../x", "./x"})
    EXPECT_THROW(set.add(name, "x"), DesignError) << name;
  set.add("Top.v", "x");
  EXPECT_THROW(set.add("top.V", "x"), DesignError);
  EXPECT_EQ(set.files().size(), 1u);
}

TEST(OutputSet, ReplacesFilesOfAnEarlierRun) {
  backends::TemporaryFolder folder;
  set_of({{"a.v", "old"}, {"x/b.v", "old"}}).commit(folder.path());
  set_of({{"a.v", "new"}, {"x/b.v", "new"}}).commit(folder.path());
  EXPECT_EQ(text_of(folder.path() / "a.v"), "new");
  EXPECT_EQ(text_of(folder.path() / "x/b.v"), "new");
  EXPECT_EQ(everything_below(folder.path()), (std::set<std::string>{"a.v", "x", "x/b.v"}));
}

TEST(OutputSet, TheManifestListsSizesAndHashes) {
  auto set = set_of({{"a.v", "abc"}, {"x/b.v", ""}});
  set.add_manifest("Kumiki 1");
  auto manifest = nlohmann::json::parse(set.find("manifest.json")->text.view());
  EXPECT_EQ(manifest["version"], 1);
  EXPECT_EQ(manifest["generator"], "Kumiki 1");
  ASSERT_EQ(manifest["files"].size(), 2u);
  EXPECT_EQ(manifest["files"][0]["name"], "a.v");
  EXPECT_EQ(manifest["files"][0]["bytes"], 3);
  EXPECT_EQ(manifest["files"][0]["sha256"], backends::sha256("abc"));
}

TEST(OutputSet, RemovesWhatAnEarlierRunLeftUnlessItWasChanged) {
  backends::TemporaryFolder folder;
  auto first = set_of({{"gone.v", "1"}, {"edited.v", "2"}, {"kept.v", "3"}});
  first.add_manifest("test");
  first.commit(folder.path());
  write(folder.path() / "edited.v", "by hand");
  write(folder.path() / "own.v", "mine");
  auto second = set_of({{"kept.v", "4"}});
  second.add_manifest("test");
  second.commit(folder.path());
  EXPECT_EQ(everything_below(folder.path()),
            (std::set<std::string>{"edited.v", "kept.v", "own.v", "manifest.json"}));
  EXPECT_EQ(text_of(folder.path() / "kept.v"), "4");
}

TEST(OutputSet, AManifestThatIsNoneIsIgnored) {
  for (const char* text : {"", "{", "[]", "{\"files\": 3}", "{\"files\": [1, {\"name\": 2}]}",
                           "{\"files\": [{\"name\": \"../../x\", \"sha256\": \"\"}]}"}) {
    backends::TemporaryFolder folder;
    write(folder.path() / "manifest.json", text);
    auto set = set_of({{"a.v", "x"}});
    set.add_manifest("test");
    EXPECT_NO_THROW(set.commit(folder.path())) << text;
  }
}

// A folder stands where a file has to go: nothing of the run may be left, nothing old be lost.
TEST(OutputSet, AFailureLeavesTheDirectoryAsItWas) {
  backends::TemporaryFolder folder;
  auto out = folder.path() / "out";
  auto first = set_of({{"a.v", "old"}, {"gone.v", "old"}});
  first.add_manifest("test");
  first.commit(out);
  write(out / "z.v" / "user", "mine");
  auto before = everything_below(folder.path());
  auto second = set_of({{"a.v", "new"}, {"new/b.v", "new"}, {"z.v", "new"}});
  try {
    second.commit(out);
    FAIL() << "written over a folder";
  } catch (const FileError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr((out / "z.v").string()));
    EXPECT_THAT(e.what(), testing::HasSubstr("directory"));
  }
  EXPECT_EQ(everything_below(folder.path()), before);
  EXPECT_EQ(text_of(out / "a.v"), "old");
}

TEST(OutputSet, APathThatCannotBeMadeIsNamed) {
  backends::TemporaryFolder folder;
  write(folder.path() / "file", "x");
  try {
    set_of({{"a.v", "x"}}).commit(folder.path() / "file" / "below");
    FAIL() << "made a folder below a file";
  } catch (const FileError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr((folder.path() / "file").string()));
    EXPECT_THAT(e.what(), testing::HasSubstr("Not a directory"));
  }
  EXPECT_EQ(everything_below(folder.path()), std::set<std::string>{"file"});
}

TEST(Process, ReportsStatusOutputAndMissingPrograms) {
  auto result = backends::run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(backends::run_process({"sh", "-c", "kill -9 $$"}).status, 137);
  backends::TemporaryFolder folder;
  EXPECT_EQ(backends::run_process({"pwd", "-P"}, folder.path()).output,
            fs::canonical(folder.path()).string() + "\n");
  try {
    backends::run_process({"kumiki-no-such-program"});
    FAIL();
  } catch (const ToolError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("kumiki-no-such-program"));
  }
}

}  // namespace
}  // namespace kumiki::tests
