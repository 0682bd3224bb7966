// SPDX-License-Identifier: Apache-2.0
// The cache: whatever ends a run, an entry is whole or not there; what is not ours is neither used
// nor removed; folders of dead runs go.
#include "backends/support/cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/temporary.h"
#include "ir/error.h"
#include "tests/faults/interposed.h"
#include "tests/support/program.h"

namespace kumiki::tests {
namespace cache_test {

namespace fs = std::filesystem;
using backends::Cache;
using backends::OwnFolder;
using ::testing::HasSubstr;

const std::string key(32, 'a'), other_key(32, 'b');

class CacheFaults : public ::testing::Test {
 protected:
  const OwnFolder folder_{
      ::access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path(),
      "kumiki-"};
  const fs::path root_ = folder_.path() / "cache";
  const Cache cache_{root_};

  fs::path get(const std::string& k = key, std::size_t keep = 10) const {
    return cache_.get("tree", k, keep, [&](const fs::path& f) {
      backends::write_file(f / "tree.txt", "text of " + k);
      backends::write_file(f / "sub/more.txt", "more");
    });
  }
  static std::string text(const fs::path& folder) {
    return test::read_bytes((folder / "tree.txt").string());
  }
  static std::uintmax_t bytes_in(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::recursive_directory_iterator(folder))
      if (!file.is_directory()) bytes += test::read_bytes(file.path().string()).size();
    return bytes;
  }
  // What was said while it ran.
  template <class Work>
  static std::string said(Work work) {
    ::testing::internal::CaptureStderr();
    work();
    return ::testing::internal::GetCapturedStderr();
  }
  void expect_refused(const std::string& why) const {
    try {
      get();
      ADD_FAILURE() << "used";
    } catch (const FileError& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
      EXPECT_THAT(e.what(), HasSubstr(root_.string()));
    }
  }
};

TEST_F(CacheFaults, AnEntryIsWholeOrNotThereAtEveryCall) {
  for (const Fault fault : {Fault::killed, Fault::power_lost, Fault::refused})
    for (int at = 1, hit = 1; hit != 0; ++at) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(fault), at));
      fs::remove_all(root_);
      const std::map<fs::path, std::string> users{{root_ / "letters.txt", "mine"},
                                                  {root_ / "building-site/plan", "mine"},
                                                  {root_ / "runtime-notes1/a", "mine"},
                                                  {root_ / ("photos-" + key) / "b", "mine"},
                                                  {root_ / ("model-" + key) / "c", "mine"}};
      for (const auto& [path, bytes] : users) backends::write_file(path, bytes);
      hit = with_fault(fault, at, [&] { get(); });
      const auto words = said([&] {
        const auto found = cache_.find("tree", key);
        EXPECT_EQ(found ? text(*found) : "text of " + key, "text of " + key);
        EXPECT_EQ(text(get()), "text of " + key);
      });
      EXPECT_EQ(words, "");
      get(other_key);
      cache_.clear();
      for (const auto& [path, bytes] : users) ASSERT_EQ(test::read_bytes(path.string()), bytes);
      // Dead runs leave nothing but a folder that was not marked yet, for an hour.
      for (const auto& left : fs::directory_iterator(cache_.store())) {
        if (!left.path().filename().string().starts_with("building-")) continue;
        for (const auto& file : fs::directory_iterator(left))
          EXPECT_EQ(file.path().filename(), "kumiki-owner");
      }
    }
}

TEST_F(CacheFaults, OnlyWhatIsOursIsRemoved) {
  get();
  const auto store = cache_.store();
  const fs::path users[] = {store / "building-site/plan", store / "building-abcdef/plan",
                            store / "tree-notes1/a", store / ("photos-" + key) / "b",
                            store / "letters.txt"};
  for (const auto& path : users) backends::write_file(path, "mine");
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(100);
  for (const auto& path : users) fs::last_write_time(path.parent_path(), long_ago);
  const auto folder = get(other_key, 1);
  const auto entries = cache_.entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries.front().bytes, bytes_in(folder));
  EXPECT_EQ(cache_.clear(), 1u);
  for (const auto& path : users) EXPECT_TRUE(fs::exists(path)) << path;
}

TEST_F(CacheFaults, ADamagedEntryIsMadeAgainWithAWord) {
  const auto file = get() / "tree.txt";
  const std::function<void()> damages[] = {
      [&] { fs::resize_file(file, 3); },
      [&] { std::ofstream(file) << "text OF " + key; },  // of the same length
      [&] { fs::remove(file); },
      [&] { std::ofstream(file.parent_path() / "planted.h") << "x"; },
      [&] { std::ofstream(file.parent_path() / "contents") << ""; },
      [&] { fs::permissions(file, fs::perms::others_write, fs::perm_options::add); },
      [&] {
        fs::rename(file, folder_.path() / "moved");
        fs::create_symlink(folder_.path() / "moved", file);
      },
  };
  for (const auto& damage : damages) {
    damage();
    EXPECT_THAT(said([&] { EXPECT_EQ(text(get()), "text of " + key); }),
                HasSubstr("is damaged and made again"));
    EXPECT_EQ(said([&] { get(); }), "");
  }
}

// Somebody who needs no lock finishes first, and badly: what was built is not there, and nobody is
// told that it is.
TEST_F(CacheFaults, WhatCannotTakeItsPlaceIsAnError) {
  const fs::path place = get();
  fs::remove_all(place);
  const auto build = [&](const fs::path& f) {
    backends::write_file(f / "tree.txt", "mine");
    backends::write_file(place / "tree.txt", "another's, without a seal");
  };
  EXPECT_THAT(said([&] { EXPECT_THROW(cache_.get("tree", key, 10, build), FileError); }),
              HasSubstr("is damaged"));
  EXPECT_EQ(text(get()), "text of " + key);
}

TEST_F(CacheFaults, ACacheThatOthersMayWriteIsRefused) {
  get();
  struct stat status;
  ASSERT_EQ(::stat(root_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (const auto& folder : {root_, cache_.store()}) {
    fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
    expect_refused("others may write it");
    fs::permissions(folder, fs::perms::others_write, fs::perm_options::remove);
  }
  get();
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(root_.c_str(), 12345, 12345), 0);
    expect_refused("it belongs to user 12345 and not to 0");
    ASSERT_EQ(::chown(root_.c_str(), 0, 0), 0);
  }
  fs::remove_all(cache_.store());
  backends::write_file(cache_.store() / "mine.txt", "mine");
  expect_refused("it has no CACHEDIR.TAG of ours");
  fs::permissions(root_, fs::perms::others_write, fs::perm_options::add);
  fs::remove_all(cache_.store());
  expect_refused("others may write it");
}

// Whoever owns a folder above may put another one in the place of the cache.
TEST_F(CacheFaults, ACacheInAFolderOfSomebodyElseIsRefused) {
  get();
  const fs::path above = root_.parent_path();
  fs::permissions(above, fs::perms::others_write, fs::perm_options::add);
  expect_refused("everybody may put another folder in place of those in " + above.string());
  fs::permissions(above, fs::perms::sticky_bit, fs::perm_options::add);
  get();  // as /tmp is
  fs::permissions(above, fs::perms::others_write | fs::perms::sticky_bit, fs::perm_options::remove);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(above.c_str(), 12345, 12345), 0);
  expect_refused("belongs to user 12345, who may put another folder in its place");
  ASSERT_EQ(::chown(above.c_str(), 0, 0), 0);
}

TEST_F(CacheFaults, WithoutAHomeItIsGoneWithTheRun) {
  const auto run = [&](const std::string& more) {
    return test::kumiki(
        "--version >/dev/null && env -u HOME -u KUMIKI_CACHE -u XDG_CACHE_HOME "
        "TMPDIR='" +
        folder_.path().string() + "' '" KUMIKI_PROGRAM "' " + more);
  };
  const auto r = run("cache");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr(folder_.path().string() + "/kumiki-"));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// What killed runs have left goes with the next one; what only looks like it stays.
TEST_F(CacheFaults, FoldersOfDeadRunsAreSwept) {
  const auto parent = folder_.path() / "tmp";
  fs::create_directory(parent);
  backends::write_file(parent / "kumiki-letter/a", "mine");  // six letters behind the dash
  backends::write_file(parent / "kumiki-notes1/kumiki-owner", "mine");
  fs::create_directory_symlink(folder_.path(), parent / "kumiki-linked");
  fs::create_directory(parent / "kumiki-photos");  // empty, and somebody's
  const auto count = [&] {
    return std::distance(fs::directory_iterator(parent), fs::directory_iterator());
  };
  const OwnFolder alive(parent, "kumiki-");
  for (int at = 3; at < 7; ++at)
    with_fault(Fault::killed, at, [&] {
      const OwnFolder folder(parent, "kumiki-");
      backends::write_file(folder.path() / "text", "x");
    });
  EXPECT_GT(count(), 5);
  // Those without a mark wait for an hour.
  for (const auto& entry : fs::directory_iterator(parent))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  backends::sweep_leftovers(parent, "kumiki-");
  EXPECT_EQ(count(), 5);
  EXPECT_TRUE(fs::exists(parent / "kumiki-photos"));
  EXPECT_TRUE(fs::exists(alive.path()));
  EXPECT_TRUE(fs::exists(parent / "kumiki-letter/a"));
}

TEST_F(CacheFaults, WhoeverEndsTheProgramRemovesThem) {
  const auto base = test::empty_folder(), parent = base / "tmp";
  fs::create_directory(parent);
  backends::write_file(base / "elsewhere/letter", "mine");
  with_fault(Fault::none, 1, [&] {
    const OwnFolder folder(parent, "kumiki-");
    for (int i = 0; i < 300; ++i)
      backends::write_file(folder.path() / fmt::format("a{}/b/c{}", i % 7, i), "x");
    fs::create_directory_symlink(base / "elsewhere", folder.path() / "link");
    backends::remove_folders_now();
    ::_exit(0);
  });
  EXPECT_TRUE(fs::is_empty(parent));
  EXPECT_TRUE(fs::exists(base / "elsewhere/letter"));
}

}  // namespace cache_test
}  // namespace kumiki::tests
