// SPDX-License-Identifier: Apache-2.0
// A run that writes a folder is ended at every one of its calls: killed, without power, refused.
// Then, and again after the next run has looked, the folder holds the old output or the new one,
// and everything of the user's.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "backends/support/durable.h"
#include "backends/support/files.h"
#include "backends/support/journal.h"
#include "backends/support/lock.h"
#include "backends/support/roll_back.h"
#include "backends/support/staging.h"
#include "backends/support/temporary.h"
#include "ir/error.h"
#include "tests/faults/interposed.h"
#include "tests/support/program.h"

namespace kumiki::tests {
namespace staging_test {

namespace fs = std::filesystem;
using backends::OutputSet;
using backends::Staging;
using ::testing::HasSubstr;
using Content = std::map<std::string, std::string>;

// In memory, where it does not take a disk to sync.
const fs::path& fast_folder() {
  static const fs::path folder =
      ::access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
  return folder;
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// Files with their text, links with where they lead.
Content content(const fs::path& folder, bool with_staging = true) {
  Content all;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::end(at); ++at) {
    const auto name = at->path().lexically_relative(folder).string();
    const auto outermost = at->path().lexically_relative(folder).begin()->string();
    if (!with_staging && outermost.starts_with(Staging::prefix) && !outermost.ends_with("theirs")) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->is_symlink())
      all[name] = "-> " + fs::read_symlink(at->path()).string();
    else if (at->is_regular_file())
      all[name] = test::read_bytes(at->path().string());
  }
  return all;
}

OutputSet set_of(const std::map<std::string, std::string>& files, const std::string& by = "gen") {
  static const backends::OwnFolder cache{fast_folder(), "kumiki-"};
  OutputSet set{backends::Cache(cache.path())};
  for (const auto& [name, text] : files) set.add(name, text);
  set.add_manifest({.generator = "test", .command = by, .project = "p", .design = "d"});
  return set;
}

class StagingFaults : public ::testing::TestWithParam<Fault> {
 protected:
  const backends::OwnFolder folder_{fast_folder(), "kumiki-"};
  const fs::path out_ = folder_.path() / "out";
  const OutputSet first_ = set_of({{"a.v", "old a"}, {"x/b.v", "old b"}, {"gone.v", "old"}}),
                  second_ = set_of({{"a.v", "new text"}, {"x/b.v", "new"}, {"y/z/c.v", "c"}});
  const Content users_ = {{"own.v", "mine"},
                          {".tmp-backup/letter", "dear"},
                          {".kumiki-staging-theirs/journal", "main.c\n"},
                          {"link", "-> own.v"}};

  void make_first() const {
    fs::remove_all(out_);
    for (const auto& [name, text] : users_)
      if (text.starts_with("-> "))
        fs::create_symlink(text.substr(3), out_ / name);
      else
        write(out_ / name, text);
    first_.commit(out_);
  }
  Content of(const OutputSet& set) const {
    Content all = users_;
    for (const auto& file : set.files()) all[file.name] = file.text.view();
    return all;
  }
  void recover() const {
    const backends::FolderLock lock(out_);
    Staging::recover(out_);
  }
  // Each file is old or new, and the user's are as they were.
  void expect_no_half_file() const {
    const auto old = of(first_), fresh = of(second_), now = content(out_, false);
    for (const auto& [name, text] : now) {
      const auto in_old = old.find(name), in_new = fresh.find(name);
      EXPECT_TRUE((in_old != old.end() && in_old->second == text) ||
                  (in_new != fresh.end() && in_new->second == text))
          << name << ": " << text;
    }
    for (const auto& [name, text] : users_) EXPECT_TRUE(now.contains(name)) << name;
  }
};

TEST_P(StagingFaults, OldOrNewAtEveryCall) {
  int old_ones = 0, new_ones = 0;
  for (int at = 1;; ++at) {
    SCOPED_TRACE(at);
    make_first();
    ASSERT_EQ(content(out_), of(first_));
    const bool hit = with_fault(GetParam(), at, [&] { second_.commit(out_); });
    expect_no_half_file();
    recover();
    const auto now = content(out_);
    if (!hit) {
      EXPECT_EQ(now, of(second_));
      break;
    }
    (now == of(first_) ? old_ones : new_ones)++;
    ASSERT_TRUE(now == of(first_) || now == of(second_));
    EXPECT_EQ(fs::exists(out_ / "y"), now == of(second_));  // folders too
    for (const auto& entry : fs::directory_iterator(out_))
      EXPECT_FALSE(entry.path().filename().string().starts_with(Staging::prefix) &&
                   !entry.path().filename().string().ends_with("theirs"))
          << entry.path();
  }
  EXPECT_GT(old_ones, 30);
  EXPECT_GT(new_ones, 3);
}

// A user saves a file while a run replaces it, at every call: what he saved is there afterwards,
// whether his editor writes into the file or puts another one in its place.
TEST(Edits, AreNeverLost) {
  const backends::OwnFolder folder(fast_folder(), "kumiki-");
  const fs::path out = folder.path() / "out";
  for (const bool in_place : {true, false})
    for (const char* name : {"a.v", "gone.v"}) {
      int refused = 0;
      bool hit = true;
      for (int at = 1; hit; ++at) {
        SCOPED_TRACE(fmt::format("{} {} at call {}", name, in_place ? "written" : "replaced", at));
        fs::remove_all(out);
        set_of({{"a.v", "old a"}, {"b.v", "old b"}, {"gone.v", "old"}}).commit(out);
        edit = [&] {
          write(in_place ? out / name : folder.path() / "saved", "an evening of work");
          if (!in_place) fs::rename(folder.path() / "saved", out / name);
        };
        hit = with_fault(Fault::edited, at, [&] {
          set_of({{"a.v", "new"}, {"b.v", "new"}}).commit(out);
        });
        if (!hit) break;
        const Content now = content(out, false);
        ASSERT_EQ(now.at(name), "an evening of work");
        if (now.at("b.v") == "old b") ++refused;
      }
      EXPECT_GT(refused, 10);
    }
}

// A first run: there is no folder yet.
TEST_P(StagingFaults, NothingOrAllOfItAtEveryCall) {
  Content whole;
  for (const auto& file : second_.files()) whole[file.name] = file.text.view();
  for (int at = 1, hit = 1; hit != 0; ++at) {
    SCOPED_TRACE(at);
    fs::remove_all(out_);
    hit = with_fault(GetParam(), at, [&] { second_.commit(out_); });
    if (!fs::exists(out_)) continue;
    recover();
    const auto now = content(out_);
    ASSERT_TRUE((now.empty() && hit != 0) || now == whole);
  }
}

// What undoes a run that was killed is killed in turn.
TEST_P(StagingFaults, UndoingIsRepeated) {
  for (int at = 5, hit = 1; hit != 0; at += 9)
    for (int again = 1;; ++again) {
      SCOPED_TRACE(fmt::format("{} {}", at, again));
      make_first();
      hit = with_fault(Fault::killed, at, [&] { second_.commit(out_); });
      const bool stopped = with_fault(GetParam(), again, [&] { recover(); });
      expect_no_half_file();
      recover();
      const auto now = content(out_);
      ASSERT_TRUE(now == of(first_) || now == of(second_));
      if (!stopped) break;
    }
}

std::string name_of(const ::testing::TestParamInfo<Fault>& info) {
  return info.param == Fault::killed    ? "killed"
         : info.param == Fault::refused ? "refused"
                                        : "power";
}
INSTANTIATE_TEST_SUITE_P(Every, StagingFaults,
                         ::testing::Values(Fault::killed, Fault::power_lost, Fault::refused),
                         name_of);

class StagingFolders : public StagingFaults {
 protected:
  std::uint64_t number_of(const fs::path& folder) const {
    struct stat status;
    EXPECT_EQ(::lstat(folder.c_str(), &status), 0);
    return status.st_ino;
  }
};
INSTANTIATE_TEST_SUITE_P(Once, StagingFolders, ::testing::Values(Fault::none));

// A journal that somebody has put there, or a torn one, undoes nothing.
TEST_P(StagingFolders, AJournalThatIsNotOursIsNotBelieved) {
  make_first();
  write(out_ / "main.c", "int main() {}");
  write(out_ / "network.v", "module network");
  backends::Journal journal;
  journal.placed.push_back({"main.c", backends::fingerprint("int main() {}"), false});
  const auto good = [&](const fs::path& folder) { return to_text(journal, number_of(folder)); };
  const auto before = content(out_);
  const auto elsewhere = folder_.path() / "elsewhere";
  fs::create_directory(elsewhere);
  int n = 0;
  const std::function<std::string(const fs::path&)> texts[] = {
      [](const fs::path&) { return "main.c\nnet"; },
      [](const fs::path&) { return ""; },
      [&](const fs::path& f) { return good(f).substr(0, good(f).size() - 1); },
      [&](const fs::path& f) { return good(f).substr(0, good(f).find("end")); },
      [&](const fs::path& f) { return good(f) + "more\n"; },
      [&](const fs::path& f) { return to_text(journal, number_of(f) + 1); },  // of a copy
  };
  for (const auto& text : texts) {
    const auto planted = out_ / fmt::format("{}plant{}", Staging::prefix, n++);
    write(planted / "journal", "");
    write(planted / "journal", text(planted));
    const auto with_it = content(out_);
    recover();
    EXPECT_EQ(content(out_), with_it) << n;
    fs::remove_all(planted);
  }
  // A link to a folder with a journal that fits.
  write(elsewhere / "journal", good(elsewhere));
  fs::create_directory_symlink(elsewhere, out_ / fmt::format("{}linked", Staging::prefix));
  recover();
  EXPECT_TRUE(fs::exists(elsewhere / "journal"));
  fs::remove(out_ / fmt::format("{}linked", Staging::prefix));
  EXPECT_EQ(content(out_), before);
}

// Killed when all had moved; then the user edits a file. It stays, and the old text is kept.
TEST_P(StagingFolders, AFileThatWasChangedSinceIsNotTakenBack) {
  for (int at = 1;; ++at) {
    make_first();
    ASSERT_TRUE(with_fault(Fault::killed, at, [&] { second_.commit(out_); }));
    if (content(out_).contains("y/z/c.v")) break;
  }
  write(out_ / "a.v", "edited");
  write(out_ / "y/z/c.v", "edited too");
  ::testing::internal::CaptureStderr();
  recover();
  const auto said = ::testing::internal::GetCapturedStderr();
  const auto now = content(out_);
  EXPECT_EQ(now.at("a.v"), "edited");
  EXPECT_EQ(now.at("y/z/c.v"), "edited too");
  EXPECT_EQ(now.at("x/b.v"), "old b");
  EXPECT_EQ(now.at("gone.v"), "old");
  EXPECT_THAT(said, HasSubstr("a.v"));
  const auto kept = said.substr(said.find(Staging::prefix));
  EXPECT_EQ(now.at(kept.substr(0, kept.find('\n')) + "/a.v"), "old a");
  // It is said once.
  ::testing::internal::CaptureStderr();
  recover();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(content(out_), now);
}

// Where folders cannot be locked a file is the lock: nobody touches the staging of a run that
// lives.
TEST_P(StagingFolders, TwoRunsWhereFoldersHaveNoLocks) {
  make_first();
  const WithoutFolderLocks no_locks;
  {
    const backends::FolderLock lock(out_);
    backends::Journal journal;
    journal.placed.push_back({"d.v", backends::fingerprint("d"), false});
    Staging staging(out_, journal);
    staging.stage("d.v", "d");
    try {
      second_.commit(out_);
      ADD_FAILURE() << "two runs at once";
    } catch (const FileError& e) {
      EXPECT_THAT(e.what(), HasSubstr("another run is writing there"));
      EXPECT_THAT(e.what(), HasSubstr(backends::FolderLock::file_name));
    }
    staging.commit();
  }
  EXPECT_EQ(content(out_).at("d.v"), "d");
  EXPECT_FALSE(fs::exists(out_ / backends::FolderLock::file_name));
  fs::remove(out_ / "d.v");
  second_.commit(out_);
  EXPECT_EQ(content(out_), of(second_));
}

}  // namespace staging_test
}  // namespace kumiki::tests
