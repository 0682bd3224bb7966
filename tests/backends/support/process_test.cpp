// SPDX-License-Identifier: Apache-2.0
// Tools that never end, that are killed, whose parent is killed: nothing that they started goes on,
// and a failure is never taken for a success.
#include "backends/support/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "backends/support/parallel.h"
#include "backends/support/tool.h"
#include "ir/error.h"
#include "tests/support/alive.h"
#include "tests/support/refusal.h"

namespace kumiki::tests {
namespace process_test {

namespace fs = std::filesystem;
using backends::run_process;
using backends::run_tool;
using backends::Seconds;
using test::is_gone;
using test::soon;
using ::testing::HasSubstr;

constexpr Seconds a_moment(0.05);

std::vector<std::string> shell(const std::string& script) { return {"sh", "-c", script}; }

template <class Error, class Action>
std::string what_of(Action action) {
  return test::refusal<Error>([&] { action(); });
}

TEST(RunProcess, TellsOutputAndStatus) {
  const auto r = run_process(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.output, "out\nerr\n");
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(r.signal, 0);
}

// The tool waits until what it has said was heard.
TEST(RunProcess, OutputIsHeardWhileTheToolRuns) {
  const backends::TemporaryFolder folder;
  std::string heard;
  const auto r = run_process(shell("echo one; until [ -e heard ]; do sleep 0.01; done; echo two"),
                             folder.path(), Seconds(60), [&](std::string_view more) {
                               heard += more;
                               std::ofstream(folder.path() / "heard") << heard;
                             });
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(r.output, "one\ntwo\n");
  EXPECT_EQ(heard, r.output);
}

TEST(RunProcess, SaysWhyItCannotStart) {
  const auto said = [](const std::string& program, const fs::path& folder = {}) {
    return what_of<ToolError>([&] { run_process({program}, folder); });
  };
  EXPECT_EQ(said("kumiki-no-such-tool"),
            "cannot start kumiki-no-such-tool: No such file or directory; install it or add it to "
            "PATH");
  EXPECT_EQ(said("/etc/passwd"), "cannot start /etc/passwd: Permission denied");
  EXPECT_EQ(said("true", "/no-such-folder"),
            "cannot run true in /no-such-folder: No such file or directory");
}

TEST(RunProcess, EndsAToolWhoseTimeIsUp) {
  const auto r = run_process({"sleep", "1000"}, {}, a_moment);
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(r.status, 124);
}

TEST(RunProcess, KillsOneThatDoesNotListen) {
  const auto r = run_process(shell("trap '' TERM; while :; do sleep 1000; done"), {}, a_moment);
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(r.status, 124) << "that the end was a KILL is our own doing";
}

TEST(RunProcess, StartsNothingWhenThereIsNoTime) {
  const backends::TemporaryFolder folder;
  for (double none : {0.0, -1.0}) {
    const auto r = run_process({"touch", "started"}, folder.path(), Seconds(none));
    EXPECT_TRUE(r.timed_out);
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_THROW(run_tool({"true", "coreutils"}, {.arguments = {}, .seconds = 0}, "answer"),
               backends::TimeIsUp);
}

TEST(RunProcess, AKillOfOthersIsNoTimeOut) {
  const auto r = run_process(shell("kill -9 $$"));
  EXPECT_EQ(r.signal, SIGKILL);
  EXPECT_EQ(r.status, 137);
  EXPECT_FALSE(r.timed_out);
  const auto said = what_of<ToolError>([] {
    run_tool({"sh", "dash"}, {.arguments = {"-c", "kill -9 $$"}}, "answer");
  });
  EXPECT_THAT(said,
              HasSubstr("sh could not answer (ended by signal 9, Killed; kumiki did not end it"));
}

TEST(RunProcess, AToolEndsWithEverythingItStarted) {
  const auto r = run_process(shell("sleep 1000 >/dev/null & echo $!"));
  EXPECT_EQ(r.status, 0);
  const pid_t left = std::stoi(r.output);
  EXPECT_TRUE(soon([&] { return is_gone(left); }));
}

TEST(RunProcess, IsNotHeldUpByWhatHasLeftTheGroup) {
  const auto r = run_process(shell("setsid sleep 1000 & echo $!"));
  EXPECT_EQ(r.status, 0);
  kill(std::stoi(r.output), SIGKILL);
}

TEST(RunProcess, ToolsDieWithAParentThatIsKilled) {
  const backends::TemporaryFolder folder;
  const pid_t parent = fork();
  if (parent == 0) {
    run_process(shell("sleep 1000 & echo $! $$ > pids.part; mv pids.part pids; wait"),
                folder.path());
    _exit(0);
  }
  ASSERT_TRUE(soon([&] { return fs::exists(folder.path() / "pids"); }));
  std::ifstream file(folder.path() / "pids");
  pid_t child = 0, tool = 0;
  ASSERT_TRUE(file >> child >> tool);
  EXPECT_FALSE(is_gone(child));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(soon([&] { return is_gone(tool) && is_gone(child); }));
}

TEST(RunProcess, AFailureStaysOneWhereNobodyWaitsForChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto failed = run_process({"false"}), passed = run_process({"true"});
  const auto killed = run_process(shell("kill -9 $$"));
  std::signal(SIGCHLD, before);
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(passed.status, 0);
  EXPECT_EQ(killed.status, 137);
}

TEST(RunProcess, ToolsHaveNoneOfOurFiles) {
  const int ours = open("/dev/null", O_RDONLY);  // on purpose without O_CLOEXEC
  const auto r = run_process(shell("ls -l /proc/$$/fd"));
  close(ours);
  EXPECT_THAT(r.output, HasSubstr(" 2 -> "));
  EXPECT_THAT(r.output, ::testing::Not(HasSubstr(" 3 -> "))) << r.output;
}

TEST(RunProcess, WhatAToolLeavesInTheTemporaryFolderGoes) {
  const auto r = run_process(shell("echo x > $TMPDIR/left; echo $TMPDIR; kill -9 $$"));
  const fs::path place = r.output.substr(0, r.output.find('\n'));
  EXPECT_TRUE(place.is_absolute());
  EXPECT_FALSE(fs::exists(place));
}

TEST(FindProgram, ARelativeFolderInPathHoldsWhereverTheToolRuns) {
  const backends::TemporaryFolder folder, elsewhere;
  const auto here = fs::current_path();
  const std::string path = std::getenv("PATH");
  fs::create_directory(folder.path() / "bin");
  const auto tool = folder.path() / "bin" / "kumiki-test-tool";
  std::ofstream(tool) << "#!/bin/sh\npwd\n";
  fs::permissions(tool, fs::perms::owner_all);
  fs::current_path(folder.path());
  setenv("PATH", ("bin:" + path).c_str(), 1);
  const auto found = backends::find_program("kumiki-test-tool");
  const auto said = what_of<std::exception>([&] {
    throw std::runtime_error(run_tool({"kumiki-test-tool", "none"},
                                      {.arguments = {}, .directory = elsewhere.path()}, "run"));
  });
  setenv("PATH", path.c_str(), 1);
  fs::current_path(here);
  EXPECT_EQ(found, tool);
  EXPECT_EQ(said, elsewhere.path().string() + "\n");
}

TEST(TemporaryFolder, OfARunThatWasKilledIsSweptAndNothingElse) {
  const backends::TemporaryFolder place;
  const std::string before = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "";
  setenv("TMPDIR", place.path().c_str(), 1);
  const pid_t run = fork();
  if (run == 0) {
    const backends::TemporaryFolder left;
    std::ofstream(left.path() / "file") << "x";
    kill(getpid(), SIGKILL);
  }
  waitpid(run, nullptr, 0);
  const backends::TemporaryFolder held;
  before.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
  // A name like ours, with files; a link to somewhere; a file.
  fs::create_directory(place.path() / "kumiki-photos");
  std::ofstream(place.path() / "kumiki-photos" / "cat") << "x";
  fs::create_directory(place.path() / "kumiki-abcdef");
  fs::create_directory_symlink(held.path().parent_path(), place.path() / "kumiki-linked");
  std::ofstream(place.path() / "kumiki-123456") << "x";
  const auto count = [&] {
    return std::distance(fs::directory_iterator(place.path()), fs::directory_iterator());
  };
  EXPECT_EQ(count(), 6);
  EXPECT_EQ(backends::sweep_leftovers(place.path()), 1u);
  EXPECT_EQ(count(), 5);
  EXPECT_TRUE(fs::exists(held.path()));
  EXPECT_EQ(backends::sweep_leftovers(place.path()), 0u);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(InThreads, WithoutRoomForAnotherOneTheWorkIsDoneAllTheSame) {
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> done = 0;
    backends::in_threads(4, [&] { ++done; });
    const bool all = done == 4;
    std::ifstream statm("/proc/self/statm");
    std::size_t pages = 0;
    statm >> pages;
    // Room for a sentence and not for a stack.
    const rlim_t room = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (1u << 20);
    const rlimit limit{room, room};
    setrlimit(RLIMIT_AS, &limit);
    done = 0;
    // The system's stacks may be kept for reuse: more than there were before.
    backends::in_threads(64, [&] { ++done; });
    _exit(all && done >= 1 && done < 64 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

TEST(Fill, LeavesMarksInWhatItPutsIn) {
  EXPECT_EQ(backends::fill("@A@ @B@ @A@", {{"A", "@B@"}, {"B", "@A@"}}), "@B@ @A@ @B@");
  EXPECT_EQ(backends::fill("x@A@@B@@C@", {{"A", ""}, {"B", "@"}}), "x@@C@");
  EXPECT_THROW(backends::fill("@A@", {{"A", "@B@"}, {"B", "x"}}), std::out_of_range);
}

}  // namespace process_test
}  // namespace kumiki::tests
