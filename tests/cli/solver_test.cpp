// SPDX-License-Identifier: Apache-2.0
// The solver of compressor trees before the world: progress, Ctrl-C, kill -9, other load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/support/long_form.h"
#include "tests/support/program.h"
#include "tests/support/running.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// Long enough to be interrupted: hundreds of rounds.
std::vector<std::string> long_run(const fs::path& trees) {
  return {"compressor", "--heap",   "heap 8x8", "--objective", "stages",  "--solve",     "--stages",
          "2",          "--effort", "5",        "--no-naive",  "--trees", trees.string()};
}
// A heap that takes a direct solve and rounds of the neighbourhood search, and the file of its
// tree.
std::string short_heap() { return long_form() ? "heap 8x8" : "popcount 64"; }
std::string short_tree() { return long_form() ? "heap8x8.txt" : "popcount64.txt"; }
std::string short_stages() { return long_form() ? "2" : "4"; }
std::vector<std::string> short_run(const std::string& effort) {
  return {"compressor", "--heap",       short_heap(), "--objective", "stages",     "--solve",
          "--stages",   short_stages(), "--effort",   effort,        "--no-naive", "--trees"};
}

TEST(Solver, ProgressSaysIncumbentAndBound) {
  const fs::path f = empty_folder();
  auto arguments = short_run("1");
  arguments.push_back((f / "trees").string());
  EXPECT_EQ(Running(f, arguments, 0, KUMIKI_BENCH_PROGRAM).wait(), 0);
  EXPECT_THAT(read_bytes(f / "err"), HasSubstr("kumiki: " + short_stages() + " stages, "));
  EXPECT_THAT(read_bytes(f / "err"), HasSubstr(" LUTs, bound "));
  EXPECT_THAT(read_bytes(f / "out"), Not(HasSubstr("kumiki:")))
      << "data on stdout, messages on stderr";
}

TEST(Solver, CtrlCEndsItAndNothingIsWritten) {
  const fs::path f = empty_folder();
  Running solver(f, long_run(f / "trees"), 0, KUMIKI_BENCH_PROGRAM);
  ASSERT_TRUE(solver.wait_for_a_word());
  solver.signal(SIGINT);
  EXPECT_EQ(solver.wait(), 130);
  EXPECT_THAT(read_bytes(f / "err"), HasSubstr("kumiki: interrupted\n"));
  EXPECT_EQ(read_bytes(f / "out"), "");
  EXPECT_FALSE(fs::exists(f / "trees"));
}

TEST(Solver, CtrlCTakesTheIncumbentWhereThatWasAskedFor) {
  const fs::path f = empty_folder();
  auto arguments = short_run("5");
  arguments.push_back((f / "trees").string());
  arguments.push_back("--take-incumbent");
  Running solver(f, arguments, 0, KUMIKI_BENCH_PROGRAM);
  ASSERT_TRUE(solver.wait_for_a_tree());
  solver.signal(SIGINT);
  EXPECT_EQ(solver.wait(), 0);
  EXPECT_THAT(read_bytes(f / "err"), HasSubstr("interrupted, the best trees so far are taken"));
  EXPECT_THAT(read_bytes(f / "out"), HasSubstr(short_heap()));
  const std::string tree = read_bytes(f / "trees" / short_tree());
  EXPECT_THAT(tree, HasSubstr(" columns, finish row"));
  EXPECT_THAT(tree, HasSubstr(", stopped\n"));
}

// What is written says so, and the next run looks again.
TEST(Solver, ATreeOfAnInterruptedSearchSaysSoAndIsNotKept) {
  const fs::path f = empty_folder();
  std::ofstream(f / "c.json") << R"({"kumiki": 1, "name": "product", "layers": [
    {"type": "multiplier", "a_bits": 9, "b_bits": 9, "effort": 3}]})";
  Running solver(f, {"gen", (f / "c.json").string(), "-o", (f / "gen").string(), "--cache",
                     (f / "cache").string(), "--take-incumbent"});
  ASSERT_TRUE(solver.wait_for_a_tree());
  solver.signal(SIGINT);
  EXPECT_EQ(solver.wait(), 0);
  EXPECT_THAT(read_bytes(f / "gen/report.html"), HasSubstr("the search was interrupted"));
  EXPECT_FALSE(fs::exists(f / "cache/tree"));
}

TEST(Solver, KilledInTheMiddleItLeavesNothing) {
  const fs::path f = empty_folder();
  // What was there before stays as it was.
  fs::create_directories(f / "trees");
  std::ofstream(f / "trees/heap8x8.txt") << "before\n";
  Running solver(f, long_run(f / "trees"), 0, KUMIKI_BENCH_PROGRAM);
  ASSERT_TRUE(solver.wait_for_a_word());
  solver.signal(SIGKILL);
  EXPECT_EQ(solver.wait(), -SIGKILL);
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(f / "trees"))
    files.push_back(entry.path().filename());
  EXPECT_THAT(files, ::testing::ElementsAre("heap8x8.txt"));
  EXPECT_EQ(read_bytes(f / "trees/heap8x8.txt"), "before\n");
  EXPECT_EQ(read_bytes(f / "out"), "");
}

// Nodes and rounds count, not seconds: a run that stands still in the middle and has less of the
// processor finds the same tree.
TEST(Solver, TheSameTreeUnderAnyLoad) {
  const fs::path f = empty_folder();
  auto run = [&](const std::string& name, int nice_value) {
    fs::create_directories(f / name);
    auto arguments = short_run("1");
    arguments.push_back((f / name).string());
    return std::make_unique<Running>(f / name, arguments, nice_value, KUMIKI_BENCH_PROGRAM);
  };
  auto alone = run("alone", 0), busy = run("busy", 5);
  EXPECT_TRUE(busy->wait_for_a_tree());
  busy->signal(SIGSTOP);
  EXPECT_EQ(alone->wait(), 0);
  busy->signal(SIGCONT);
  EXPECT_EQ(busy->wait(), 0);
  const std::string tree = read_bytes(f / "alone" / short_tree());
  EXPECT_THAT(tree, HasSubstr("stage\n"));
  EXPECT_EQ(read_bytes(f / "busy" / short_tree()), tree);
}

}  // namespace
}  // namespace kumiki::test
