// SPDX-License-Identifier: Apache-2.0
// Killed, without room, without rights, two at once: a folder of results is that of one whole run,
// or it says why not.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "backends/support/files.h"
#include "backends/support/process.h"
#include "backends/support/staging.h"
#include "ir/error.h"
#include "tests/support/program.h"

namespace kumiki::tests {
namespace writing_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Every file with its bytes; what a killed run left in its own folder is not among them.
std::map<std::string, std::string> content(const fs::path& folder) {
  std::map<std::string, std::string> all;
  if (!fs::exists(folder)) return all;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::end(at); ++at) {
    if (at->path().filename().string().starts_with(backends::Staging::prefix))
      at.disable_recursion_pending();
    if (at->is_regular_file())
      all[fs::relative(at->path(), folder).string()] = test::read_bytes(at->path().string());
  }
  return all;
}

backends::OutputSet set_of(const std::string& text, int files) {
  static const backends::TemporaryFolder cache;
  backends::OutputSet set{backends::Cache(cache.path())};
  for (int i = 0; i < files; ++i)
    set.add(fmt::format("m{}/f{}.v", i % 7, i), fmt::format("{} {}\n", text, i));
  set.add_manifest("test");
  return set;
}

// A child of this process that is killed after a while.
template <class Work>
void killed_after(std::chrono::microseconds time, Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  std::this_thread::sleep_for(time);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// Every single call is tried in staging_test.cpp; here a real signal comes at any time.
TEST(Killed, ACommitIsUndoneByTheNextOne) {
  backends::TemporaryFolder folder;
  const auto out = folder.path() / "out", reference = folder.path() / "reference";
  std::map<std::string, std::string> whole[2];
  std::chrono::microseconds longest{};
  for (int v : {0, 1}) {
    fs::remove_all(reference);
    const auto begin = std::chrono::steady_clock::now();
    set_of(v ? "new" : "old", 12 + 4 * v).commit(reference);
    longest = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begin);
    whole[v] = content(reference);
  }
  std::mt19937 random(5);
  int interrupted = 0;
  for (int round = 0; round < 20; ++round) {
    set_of("old", 12).commit(out);
    ASSERT_EQ(content(out), whole[0]);
    const auto set = set_of("new", 16);
    killed_after(longest * (random() % 100) / 100, [&] { set.commit(out); });
    for (const auto& [name, text] : content(out)) {
      const bool is_old = whole[0].contains(name) && whole[0][name] == text;
      ASSERT_TRUE(is_old || whole[1][name] == text) << name << " is half written";
    }
    for (const auto& entry : fs::directory_iterator(out))
      interrupted += entry.path().filename().string().starts_with(backends::Staging::prefix);
    // Something small and without a manifest comes next: it replaces nothing, so what is there
    // beside it is what the folder was brought back to.
    backends::OutputSet small;
    small.add("note.txt", "x");
    small.commit(out);
    auto now = content(out);
    now.erase("note.txt");
    ASSERT_TRUE(now == whole[0] || now == whole[1]) << "round " << round;
    fs::remove(out / "note.txt");
  }
  EXPECT_GT(interrupted, 1) << "hardly any of the kills hit a commit";
}

TEST(Killed, GenAtRandomMoments) {
  backends::TemporaryFolder folder;
  const auto out = (folder.path() / "out").string(), whole = (folder.path() / "whole").string();
  ASSERT_EQ(test::kumiki("gen quickstart.json -o '" + whole + "'").status, 0);
  std::mt19937 random(11);
  for (int round = 0; round < 25; ++round)
    killed_after(std::chrono::milliseconds(random() % 250), [&] {
      const auto config = std::string(KUMIKI_TEST_DIR) + "/../examples/quickstart.json";
      const int nothing = open("/dev/null", O_WRONLY);
      dup2(nothing, 1);
      dup2(nothing, 2);
      execl(KUMIKI_PROGRAM, "kumiki", "gen", config.c_str(), "-o", out.c_str(), nullptr);
    });
  for (const auto& [name, text] : content(out))
    EXPECT_EQ(text, content(whole)[name]) << name << " is half written";
  ASSERT_EQ(test::kumiki("gen quickstart.json -o '" + out + "'").status, 0);
  for (const auto& entry : fs::directory_iterator(out))
    EXPECT_FALSE(entry.path().filename().string().starts_with(backends::Staging::prefix));
  auto now = content(out), wanted = content(whole);
  for (auto* c : {&now, &wanted})
    for (const char* names_folder : {"report.html", "manifest.json"}) c->erase(names_folder);
  EXPECT_EQ(now, wanted);
}

// Called through a shell that first does something to the process.
test::Called after(const std::string& preparation, const std::string& arguments) {
  return test::kumiki("--version >/dev/null && " + preparation + " '" + KUMIKI_PROGRAM + "' " +
                      arguments);
}

TEST(NoRoom, AFileThatDoesNotFitLeavesTheFolderAsItWas) {
  backends::TemporaryFolder folder;
  const auto out = (folder.path() / "out").string();
  ASSERT_EQ(test::kumiki("gen quickstart.json -o '" + out + "'").status, 0);
  const auto before = content(out);
  // Without a trap the signal of the limit ended the program.
  const auto r = after("ulimit -f 8 &&", "gen packing-64.json -o '" + out + "'");
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, HasSubstr("File too large"));
  EXPECT_EQ(content(out), before);
  for (const auto& entry : fs::directory_iterator(out))
    EXPECT_FALSE(entry.path().filename().string().starts_with(backends::Staging::prefix));
}

TEST(NoRoom, AFullFileSystem) {
  backends::TemporaryFolder folder;
  const auto disk = folder.path().string();
  const std::string inside = "mount -t tmpfs -o size=64k none '" + disk + "'";
  if (std::system(("unshare -rm sh -c \"" + inside + "\" 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "this machine allows no tmpfs without rights (unshare -rm, mount)";
  const auto r = test::kumiki("--version >/dev/null && unshare -rm sh -c \"" + inside + " && '" +
                              KUMIKI_PROGRAM + "' gen quickstart.json -o '" + disk +
                              "/out' 2>&1; echo status=\\$?; ls -A '" + disk + "'\"");
  EXPECT_THAT(r.out, HasSubstr("No space left on device"));
  // And nothing behind it: the folder is not there.
  EXPECT_THAT(r.out, ::testing::EndsWith("status=4\n"));
}

TEST(NoRoom, TheStandardOutput) {
  for (const char* command : {"plan quickstart.json", "list", "schema", "--help", "--version",
                              "gen --help", "--json --version"}) {
    const auto r = test::kumiki(std::string(command) + " >/dev/full");
    EXPECT_EQ(r.status, 4) << command;
    EXPECT_THAT(r.err, HasSubstr("No space left on device"));
  }
}

TEST(NoRights, AFolderThatCannotBeWritten) {
  const auto r = test::kumiki("gen quickstart.json -o /proc/kumiki");
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, HasSubstr("/proc/kumiki"));
  if (getuid() == 0) GTEST_SKIP() << "root may write everywhere: only /proc was tried";
  backends::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const auto refused = test::kumiki("gen quickstart.json -o '" + folder.path().string() + "'");
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.err, HasSubstr("Permission denied"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(TwoRuns, OneWritesTheOtherSaysSo) {
  backends::TemporaryFolder folder;
  const auto out = folder.path() / "out";
  fs::create_directory(out);
  const int lock = open(out.c_str(), O_RDONLY);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  const auto r = test::kumiki("gen quickstart.json -o '" + out.string() + "'");
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, HasSubstr("another run is writing there"));
  EXPECT_TRUE(fs::is_empty(out));
  close(lock);
  EXPECT_EQ(test::kumiki("gen quickstart.json -o '" + out.string() + "'").status, 0);
}

TEST(TwoRuns, AFolderIsThatOfOneOfThem) {
  backends::TemporaryFolder folder;
  const auto a = set_of("a", 16), b = set_of("b", 20);
  for (int round = 0; round < 20; ++round) {
    const auto out = folder.path() / fmt::format("out{}", round);
    std::atomic<int> refused = 0;
    auto write = [&](const backends::OutputSet& set) {
      try {
        set.commit(out);
      } catch (const FileError&) {
        ++refused;
      }
    };
    std::thread other([&] { write(b); });
    write(a);
    other.join();
    const auto now = content(out);
    ASSERT_FALSE(now.empty());
    const auto& first = now.begin()->second;
    const auto& whole = first[0] == 'a' ? a : b;
    ASSERT_EQ(now.size(), whole.files().size());
    for (const auto& file : whole.files()) EXPECT_EQ(now.at(file.name), file.text.view());
    EXPECT_LE(refused, 1);
  }
}

}  // namespace writing_test
}  // namespace kumiki::tests
