// SPDX-License-Identifier: Apache-2.0
#include "backends/support/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "backends/support/process.h"
#include "backends/support/sha256.h"
#include "ir/error.h"

namespace kumiki::tests {
namespace files_test {

namespace fs = std::filesystem;
using backends::FilesOfUser;
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
    all.insert(entry.path().lexically_relative(folder).string());
  return all;
}

backends::Cache cache() {
  static const backends::TemporaryFolder folder;
  return backends::Cache(folder.path());
}

OutputSet set_of(std::initializer_list<std::pair<const char*, const char*>> files) {
  OutputSet set(cache());
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

OutputSet listed(std::initializer_list<std::pair<const char*, const char*>> files,
                 const OutputSet::Run& run = {.generator = "test"}) {
  auto set = set_of(files);
  set.add_manifest(run);
  return set;
}

void expect_refused(const OutputSet& set, const fs::path& folder,
                    const std::vector<std::string>& says, FilesOfUser theirs = FilesOfUser::keep) {
  const auto before = everything_below(folder.parent_path());
  try {
    set.commit(folder, theirs);
    ADD_FAILURE() << "written";
  } catch (const FileError& e) {
    for (const auto& word : says) EXPECT_THAT(e.what(), testing::HasSubstr(word));
  }
  EXPECT_EQ(everything_below(folder.parent_path()), before);
}

TEST(OutputSet, ReplacesFilesOfAnEarlierRun) {
  backends::TemporaryFolder folder;
  listed({{"a.v", "old"}, {"x/b.v", "old"}}).commit(folder.path());
  listed({{"a.v", "new"}, {"x/b.v", "new"}}).commit(folder.path());
  EXPECT_EQ(text_of(folder.path() / "a.v"), "new");
  EXPECT_EQ(text_of(folder.path() / "x/b.v"), "new");
  EXPECT_EQ(everything_below(folder.path()),
            (std::set<std::string>{"a.v", "x", "x/b.v", "manifest.json"}));
}

TEST(OutputSet, FilesOfTheUserAreReplacedOnlyWhenToldTo) {
  backends::TemporaryFolder folder;
  const auto out = folder.path() / "out";
  write(out / "a.v", "mine");
  write(out / "same.v", "same");
  expect_refused(listed({{"a.v", "x"}, {"b.v", "x"}, {"same.v", "same"}}), out,
                 {"a.v", "--force", out.string()});
  EXPECT_EQ(text_of(out / "a.v"), "mine");
  listed({{"b.v", "x"}, {"same.v", "same"}}).commit(out);
  // What was changed since it was written is the user's again.
  write(out / "b.v", "edited");
  expect_refused(listed({{"b.v", "y"}}), out, {"b.v, which has been changed since", "--force"});
  EXPECT_EQ(text_of(out / "b.v"), "edited");
  listed({{"a.v", "x"}, {"b.v", "y"}}).commit(out, FilesOfUser::replace);
  EXPECT_EQ(text_of(out / "a.v") + text_of(out / "b.v"), "xy");
  // A link is a file of the user's; what it leads to is never touched.
  fs::create_symlink("a.v", out / "c.v");
  expect_refused(listed({{"c.v", "z"}}), out, {"c.v"});
  listed({{"c.v", "z"}}).commit(out, FilesOfUser::replace);
  EXPECT_FALSE(fs::is_symlink(out / "c.v"));
}

TEST(OutputSet, NothingIsWrittenOrRemovedThroughALink) {
  backends::TemporaryFolder folder;
  const auto out = folder.path() / "out";
  listed({{"x/gone.v", "1"}}).commit(out);
  fs::rename(out / "x", folder.path() / "elsewhere");
  fs::create_directory_symlink(folder.path() / "elsewhere", out / "x");
  expect_refused(listed({{"x/b.v", "2"}}), out, {"x/b.v", "symbolic link"}, FilesOfUser::replace);
  listed({{"c.v", "3"}}).commit(out);
  EXPECT_EQ(text_of(folder.path() / "elsewhere/gone.v"), "1");
  EXPECT_TRUE(fs::is_symlink(out / "x"));
  // The folder itself may be named by a link that leads somewhere.
  fs::create_directory_symlink(out, folder.path() / "link");
  listed({{"c.v", "4"}}).commit(folder.path() / "link");
  EXPECT_EQ(text_of(out / "c.v"), "4");
  fs::create_symlink("nowhere", folder.path() / "dangling");
  expect_refused(listed({{"c.v", "5"}}), folder.path() / "dangling",
                 {"dangling", "symbolic link to nowhere"});
  EXPECT_TRUE(fs::is_symlink(folder.path() / "dangling"));
}

TEST(OutputSet, WhatAnotherCommandMadeOfTheSameDesignStays) {
  backends::TemporaryFolder folder;
  const auto& out = folder.path();
  const auto run = [](const char* command, const char* design) {
    return OutputSet::Run{
        .generator = "test", .command = command, .project = "p", .design = design};
  };
  listed({{"a.v", "a"}, {"a.json", "yosys"}}, run("synth", "1")).commit(out);
  listed({{"a.v", "a"}, {"mismatch.vcd", "x"}}, run("sim", "1")).commit(out);
  EXPECT_TRUE(fs::exists(out / "a.json"));
  // Its own go when they are not written again.
  listed({{"a.v", "a"}}, run("sim", "1")).commit(out);
  EXPECT_EQ(everything_below(out), (std::set<std::string>{"a.v", "a.json", "manifest.json"}));
  // A part adds.
  auto part = run("plan", "");
  part.is_part = true;
  listed({{"a.svg", "<svg/>"}}, part).commit(out);
  EXPECT_EQ(everything_below(out),
            (std::set<std::string>{"a.v", "a.json", "a.svg", "manifest.json"}));
  // Of another design nothing stays.
  listed({{"a.v", "b"}}, run("gen", "2")).commit(out);
  EXPECT_EQ(everything_below(out), (std::set<std::string>{"a.v", "manifest.json"}));
}

TEST(OutputSet, AnotherProjectIsNotReplacedWithoutAWord) {
  backends::TemporaryFolder folder;
  const auto said = [&](const char* project) {
    testing::internal::CaptureStderr();
    listed({{"a.v", project}}, {.generator = "test", .project = project}).commit(folder.path());
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said("first"), "");
  EXPECT_EQ(said("first"), "");
  EXPECT_THAT(said("second"),
              testing::HasSubstr("the files of \"first\" are replaced by those of \"second\""));
  EXPECT_EQ(said("second"), "");
}

TEST(NamedFile, IsReplacedAndALinkIsKept) {
  backends::TemporaryFolder folder;
  const auto file = folder.path() / "a.svg", link = folder.path() / "link.svg",
             dangling = folder.path() / "dangling.svg";
  fs::create_directories(folder.path() / ".tmp-backup");
  write(folder.path() / ".tmp-backup/letter", "mine");
  backends::write_named_file(file, "1", backends::FilesOfUser::replace);
  backends::write_named_file(file, "2", backends::FilesOfUser::replace);
  EXPECT_THROW(backends::write_named_file(file, "0", backends::FilesOfUser::keep), FileError);
  fs::create_symlink("a.svg", link);
  EXPECT_THROW(backends::write_named_file(link, "0", backends::FilesOfUser::keep), FileError);
  fs::create_symlink("nowhere/b.svg", dangling);
  backends::write_named_file(link, "3", backends::FilesOfUser::replace);
  EXPECT_EQ(text_of(file), "3");
  try {
    backends::write_named_file(dangling, "4", backends::FilesOfUser::replace);
    FAIL() << "written";
  } catch (const FileError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("symbolic link to nowhere/b.svg"));
  }
  EXPECT_TRUE(fs::is_symlink(link) && fs::is_symlink(dangling));
  EXPECT_EQ(everything_below(folder.path()),
            (std::set<std::string>{".tmp-backup", ".tmp-backup/letter", "a.svg", "dangling.svg",
                                   "link.svg"}));
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

// With the right names, hashes and command, but no run of ours has written it here.
void plant(const fs::path& folder, std::initializer_list<std::pair<const char*, const char*>> files,
           const char* by = "") {
  auto set = set_of(files);
  set.add_manifest({.generator = "Kumiki", .command = by});
  for (const auto& file : set.files()) write(folder / file.name, file.text.view());
}

TEST(OutputSet, APlantedManifestRemovesNothing) {
  backends::TemporaryFolder folder;
  plant(folder.path(), {{"thesis.tex", "years"}, {".git/config", "mine"}, {"mine.v", "wire"}});
  const auto before = everything_below(folder.path());
  testing::internal::CaptureStderr();
  listed({{"a.v", "1"}}).commit(folder.path());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("They stay, because the cache has no record that kumiki wrote "
                                 "them; remove what nobody needs:\n  thesis.tex\n"));
  auto after = everything_below(folder.path());
  EXPECT_EQ(after.erase("a.v"), 1U);
  EXPECT_EQ(after, before);
}

// A run that lists files of another command again makes them no files of ours.
TEST(OutputSet, APlantedManifestIsNotPassedOn) {
  backends::TemporaryFolder folder;
  plant(folder.path(), {{"mine.v", "wire"}}, "sim");
  listed({{"a.v", "1"}}, {.generator = "Kumiki", .command = "gen"}).commit(folder.path());
  listed({{"a.v", "1"}}, {.generator = "Kumiki", .command = "gen", .design = "other"})
      .commit(folder.path());
  EXPECT_EQ(text_of(folder.path() / "mine.v"), "wire");
}

// After `cache --clear`, too.
TEST(OutputSet, WithoutTheRecordOfARunItsFilesStay) {
  backends::TemporaryFolder folder;
  listed({{"gone.v", "1"}, {"kept.v", "2"}}).commit(folder.path());
  cache().clear("written");
  listed({{"kept.v", "3"}}).commit(folder.path());
  EXPECT_EQ(text_of(folder.path() / "gone.v"), "1");
  listed({{"kept.v", "3"}, {"next.v", "4"}}).commit(folder.path());
  listed({{"kept.v", "3"}}).commit(folder.path());
  EXPECT_FALSE(fs::exists(folder.path() / "next.v"));
}

TEST(OutputSet, AManifestOfSomebodyElseNamesNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give a file to somebody else";
  backends::TemporaryFolder folder;
  plant(folder.path(), {{"mine.v", "years"}});
  ASSERT_EQ(::chown((folder.path() / "manifest.json").c_str(), 12345, 12345), 0);
  auto own = set_of({{"a.v", "1"}});
  own.add_manifest("Kumiki");
  EXPECT_THROW(own.commit(folder.path()),
               FileError);  // it would replace a manifest that is not ours
  own.commit(folder.path(), FilesOfUser::replace);
  EXPECT_EQ(text_of(folder.path() / "mine.v"), "years");
}

TEST(OutputSet, AManifestThatIsNoneIsTheUsers) {
  for (const char* text : {"", "{", "[]", "{\"files\": 3}", "{\"files\": [1, {\"name\": 2}]}",
                           "{\"files\": [{\"name\": \"../../x\", \"sha256\": \"\"}]}"}) {
    backends::TemporaryFolder folder;
    write(folder.path() / "manifest.json", text);
    expect_refused(listed({{"a.v", "x"}}), folder.path(), {"manifest.json", "--force"});
    EXPECT_NO_THROW(listed({{"a.v", "x"}}).commit(folder.path(), FilesOfUser::replace)) << text;
  }
  // Entries that are none name nothing.
  backends::TemporaryFolder folder;
  write(folder.path() / "manifest.json",
        R"({"format": "kumiki-manifest", "files": [1, {"name": "../x"}, {"name": "b.v"},
            {"name": "a.v", "bytes": -1, "sha256": ""}]})");
  listed({{"a.v", "x"}}).commit(folder.path());
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

}  // namespace files_test
}  // namespace kumiki::tests
