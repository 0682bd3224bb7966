// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its relatives, and a program without the streams that everybody has.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "backends/support/temporary.h"
#include "tests/support/alive.h"
#include "tests/support/program.h"

namespace kumiki::tests {
namespace interrupt_test {

namespace fs = std::filesystem;
using test::is_gone;
using test::soon;
using ::testing::HasSubstr;

// The program with a temporary folder, a cache and an output folder of the test's own.
class Interrupted : public test::InFolder {
 protected:
  Interrupted() {
    fs::create_directory(folder_ / "bin");
    fs::create_directory(folder_ / "tmp");
    write("cfg.json", R"({"kumiki": 1, "name": "x", "simulation": {"cycles": 20}, "layers": [
        {"type": "dot", "terms": 2}]})");
  }

  // A tool of this name that knows its version, says who it and its child are and never ends.
  void make_endless(const std::string& name) const {
    write("bin/" + name,
          "#!/bin/sh\n[ \"$1\" = --version ] && exec echo 1\nsleep 1000 & echo $! $$ > '" +
              (folder_ / "part").string() + "'; mv '" + (folder_ / "part").string() + "' '" +
              (folder_ / "pids").string() + "'; wait\n");
    fs::permissions(folder_ / "bin" / name, fs::perms::owner_all);
  }
  bool has_started() const {
    return soon([&] { return fs::exists(folder_ / "pids"); });
  }
  std::vector<pid_t> pids() const {
    std::ifstream file(folder_ / "pids");
    std::vector<pid_t> all;
    for (pid_t pid = 0; file >> pid;) all.push_back(pid);
    return all;
  }

  pid_t start(std::vector<std::string> arguments) const {
    const pid_t child = fork();
    if (child != 0) return child;
    for (int stream : {1, 2})
      dup2(open((folder_ / "said").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), stream);
    setenv("PATH", (folder_ / "bin:").string().append(std::getenv("PATH")).c_str(), 1);
    setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
    setenv("KUMIKI_CACHE", (folder_ / "cache").c_str(), 1);
    unsetenv("CXX");
    arguments.insert(arguments.begin(), "kumiki");
    std::vector<char*> pointers;
    for (auto& a : arguments) pointers.push_back(a.data());
    pointers.push_back(nullptr);
    execv(KUMIKI_PROGRAM, pointers.data());
    _exit(127);
  }
  static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void expect_nothing_left() const {
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    EXPECT_FALSE(fs::exists(folder_ / "out"));
    for (const pid_t pid : pids())
      EXPECT_TRUE(soon([&] { return is_gone(pid); })) << pid << " goes on";
  }
};

TEST_F(Interrupted, ToolsAndFoldersGoWithTheProgram) {
  make_endless("iverilog");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove(folder_ / "pids");
    const auto child = start({"sim", file("cfg.json"), "--with", "icarus", "-o", file("out")});
    ASSERT_TRUE(has_started()) << text("said");
    kill(child, signal);
    EXPECT_EQ(status_of(child), 128 + signal);
    expect_nothing_left();
  }
  EXPECT_EQ(text("said"), "kumiki: interrupted\nkumiki: interrupted\nkumiki: interrupted\n");
}

TEST_F(Interrupted, ABuildLeavesNothingInTheCache) {
  make_endless("g++");
  // Verilator itself may be missing: it is never reached.
  write("bin/verilator",
        "#!/bin/sh\ncase $1 in --getenv) echo '" + folder_.string() + "' ;; esac\necho 5\n");
  fs::permissions(folder_ / "bin/verilator", fs::perms::owner_all);
  fs::create_directory(folder_ / "include");
  write("include/verilated.cpp", "");
  const auto child = start({"sim", file("cfg.json"), "-o", file("out")});
  ASSERT_TRUE(has_started()) << text("said");
  kill(child, SIGTERM);
  EXPECT_EQ(status_of(child), 143);
  expect_nothing_left();
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache"))
    EXPECT_FALSE(entry.path().filename().string().starts_with("building-")) << entry.path();
}

TEST_F(Interrupted, ALongComputationStopsAsWell) {
  const auto child = start({"sim", file("cfg.json"), "--with", "native", "--cycles",
                            "1000000000000", "-o", file("out")});
  ASSERT_TRUE(soon([&] { return test::ticks_of(child) >= 10; })) << "it does nothing";
  kill(child, SIGINT);
  EXPECT_EQ(status_of(child), 130);
  expect_nothing_left();
}

TEST_F(Interrupted, WhatWasToBeIgnoredIsIgnored) {
  make_endless("iverilog");
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const auto child = start({"sim", file("cfg.json"), "--with", "icarus", "-o", file("out")});
  std::signal(SIGHUP, before);
  ASSERT_TRUE(has_started()) << text("said");
  kill(child, SIGHUP);
  usleep(50'000);
  EXPECT_FALSE(is_gone(child));
  kill(child, SIGINT);
  EXPECT_EQ(status_of(child), 130);
}

TEST(Streams, MessagesThatNobodyCanReadChangeNoExitCode) {
  for (const char* stderr_is : {"2>&-", "2>/dev/full", "</dev/null 2>&- <&-"}) {
    EXPECT_EQ(test::kumiki(std::string("plan nowhere.json ") + stderr_is).status, 4) << stderr_is;
    EXPECT_EQ(test::kumiki(std::string("plan ") + stderr_is).status, 2) << stderr_is;
    EXPECT_EQ(test::kumiki(std::string("list ") + stderr_is).status, 0) << stderr_is;
  }
}

TEST(Streams, AClosedOneIsNoFileOfOurs) {
  const backends::TemporaryFolder folder;
  const auto out = (folder.path() / "p.png").string();
  const auto r = test::kumiki("picture checker --size 8x8 -o '" + out + "' 2>&- >&- <&-");
  EXPECT_EQ(r.status, 4) << "what it says about the picture goes nowhere";
  const auto again = test::kumiki("picture checker --size 8x8 -o '" + out + ".png'");
  EXPECT_EQ(test::read_bytes(out), test::read_bytes(out + ".png"));
}

TEST(Streams, AReaderThatHasSeenEnoughIsToldNothing) {
  const auto folder = test::empty_folder();
  // More than a pipe holds.
  const auto r = test::kumiki("--version >/dev/null; cd '" + folder.string() + "'; { '" +
                              KUMIKI_PROGRAM + "' schema 2>said; echo $? >status; } | head -c 1");
  EXPECT_EQ(r.out, "{");
  EXPECT_EQ(test::read_bytes(folder / "status"), "141\n");
  EXPECT_EQ(test::read_bytes(folder / "said"), "");
}

TEST(Names, ThatAreNotUtf8AreNoBug) {
  const backends::TemporaryFolder folder;
  const std::string odd = "'" + folder.path().string() + "/o\xff\xfet'";
  const auto json = test::kumiki("gen quickstart.json --json -o " + odd);
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(test::kumiki("gen quickstart.json --vectors 4 -o " + odd).status, 0);
  EXPECT_EQ(test::kumiki("cache --json --cache " + odd).status, 0);
  EXPECT_EQ(test::kumiki("picture checker --json -o " + odd + ".png").status, 0);
  const auto missing = test::kumiki("check --json " + odd + ".json");
  EXPECT_EQ(missing.status, 4) << missing.err;
}

}  // namespace interrupt_test
}  // namespace kumiki::tests
