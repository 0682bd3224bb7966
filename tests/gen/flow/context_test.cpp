// SPDX-License-Identifier: Apache-2.0
// Two contexts in one process, each in a thread of its own: nothing of one is seen by the other.
// `./test tsan` runs this under the thread sanitizer.
#include "gen/flow/context.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <latch>
#include <thread>

#include "backends/support/file.h"
#include "backends/support/temporary.h"
#include "gen/flow/project.h"
#include "gen/flow/run.h"

namespace kumiki::flow {
namespace context_test {

// No tree is shipped for it: it is searched, in milliseconds.
std::string configuration(int words) {
  return fmt::format(
      R"({{"kumiki": 1, "name": "two", "layers": [
           {{"type": "compressor", "name": "sum", "operands": [{{"count": {}, "bits": 2}}], "effort": 0}},
           {{"type": "dot", "terms": 3}}]}})",
      words);
}

struct Counting : ir::SearchWatcher {
  int searches = 0;
  void begin(const std::string&) override { ++searches; }
  bool progress(const Progress&) override { return true; }
};

// A user of the library with settings of his own.
struct User {
  explicit User(int words) : context(backends::Cache(folder.path() / "cache")) {
    context.watcher = &watcher;
    backends::write_file(file(), configuration(words));
  }
  std::string file() const { return (folder.path() / "two.json").string(); }
  std::size_t kept() const { return context.cache().entries().size(); }

  backends::TemporaryFolder folder;
  Counting watcher;
  Context context;
};

TEST(Context, TwoAreApart) {
  User a(5), b(6);
  a.context.limits.cells = 20;  // less than either has
  std::string refused;
  backends::LockstepResult result;
  std::latch both(2);
  std::jthread of_a([&] {
    both.arrive_and_wait();
    for (int i = 0; i < 3; ++i) try {
        const Project project(a.file(), {.context = a.context});
        ADD_FAILURE() << "no limit";
      } catch (const ir::LimitError& error) {
        refused = error.what();
      }
  });
  std::jthread of_b([&] {
    both.arrive_and_wait();
    for (int i = 0; i < 3; ++i) {
      const Project project(b.file(), {.context = b.context});
      result = simulate(project, {.seed = 1, .cycles = 500});
    }
  });
  of_b.join();
  of_a.join();
  EXPECT_NE(refused.find("more than the limit of 20; raise it with --max-cells"), std::string::npos)
      << refused;
  EXPECT_TRUE(result.passed());
  EXPECT_GT(result.comparisons, 500u);
  for (User* user : {&a, &b}) {
    EXPECT_EQ(user->watcher.searches, 1)
        << "of three times planned: the others came from the cache";
    EXPECT_EQ(user->kept(), 1u);
  }
  EXPECT_NE(a.context.cache().entries().front().key, b.context.cache().entries().front().key);
}

TEST(Context, LimitsAreThoseOfTheContext) {
  User user(5);
  const auto refusal = [&] {
    try {
      const Project project(user.file(), {.context = user.context});
    } catch (const ir::LimitError& error) {
      return std::string(error.what());
    } catch (const gen::config::ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(), "");
  user.context.limits.heap_bits = 9;  // of 10
  EXPECT_NE(refusal().find("--max-heap-bits"), std::string::npos);
  user.context.limits = {};
  user.context.limits.layers = 1;
  EXPECT_NE(refusal().find("--max-layers"), std::string::npos);
  user.context.limits = {};
  EXPECT_EQ(refusal(), "");
}

TEST(Context, KeepsNoTreesWhereItShallNot) {
  User user(5);
  user.context.keeps_trees = false;
  for (int i = 1; i <= 2; ++i) {
    const Plans plans(user.file(), {.context = user.context});
    EXPECT_EQ(user.watcher.searches, i);
    EXPECT_EQ(user.kept(), 0u);
  }
}

}  // namespace context_test
}  // namespace kumiki::flow
