// SPDX-License-Identifier: Apache-2.0
// The manual page and the completions, made of the same table as --help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "backends/process.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

fs::path written(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(KUMIKI_TEST_TMP) / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

// Every long option that --help of a command has, in this text.
TEST(CliManual, NamesEveryCommandAndOption) {
  const auto page = kumiki("manual");
  ASSERT_EQ(page.status, 0) << page.err;
  const auto bash = kumiki("completion bash").out, fish = kumiki("completion fish").out;
  unsigned options = 0;
  for (const char* command : {"check", "plan", "gen", "sim", "prove", "synth", "show", "bench",
                              "cost", "picture", "schema", "list"}) {
    EXPECT_THAT(page.out, HasSubstr(std::string(".SS ") + command + "\n"));
    EXPECT_THAT(fish, HasSubstr(std::string(" -f -a ") + command + " -d "));
    const auto help = kumiki(std::string(command) + " --help").out;
    for (auto at = help.find("--"); at != std::string::npos; at = help.find("--", at)) {
      const auto end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
      auto option = help.substr(at, end - at);
      at = end;
      if (help[end] == '[' || help.compare(end, 6, "{false") == 0 || option.size() < 4) continue;
      ++options;
      EXPECT_THAT(bash, HasSubstr(option)) << command;
      EXPECT_THAT(fish, HasSubstr(" -l " + option.substr(2))) << command;
      for (auto dash = option.find('-'); dash != std::string::npos;
           dash = option.find('-', dash + 2))
        option.insert(dash, 1, '\\');
      EXPECT_THAT(page.out, HasSubstr(option)) << command;
    }
  }
  EXPECT_GT(options, 40u);
  EXPECT_THAT(kumiki("--help").out, Not(HasSubstr("completion")));
  EXPECT_EQ(kumiki("completion tcsh").status, 2);
}

TEST(CliManual, BashCompletes) {
  const auto file = written("completion.bash", kumiki("completion bash").out);
  auto completes = [&](const std::string& words) {
    auto r = backends::run_process(
        {"bash", "-c",
         "source '" + file.string() + "' && COMP_WORDS=(" + words +
             ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kumiki; echo \"${COMPREPLY[@]}\""});
    EXPECT_EQ(r.status, 0) << r.output;
    return r.output;
  };
  EXPECT_EQ(completes("kumiki s"), "sim synth show schema\n");
  EXPECT_EQ(completes("kumiki sim x.json --with v"), "verilator\n");
  EXPECT_EQ(completes("kumiki gen x.json --vec"), "--vectors\n");
  EXPECT_EQ(completes("kumiki check x.json --vec"), "\n");
}

// Where groff is, it reads the page without a complaint.
TEST(CliManual, ThePageIsRoff) {
  const auto file = written("kumiki.1", kumiki("manual").out);
  auto r = backends::run_process(
      {"bash", "-c",
       "command -v groff >/dev/null || exit 77; groff -man -Tascii -P-cbou -ww '" + file.string() +
           "'"});
  if (r.status == 77) GTEST_SKIP() << "no groff";
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(r.output, HasSubstr("--vectors VALUE"));
  EXPECT_THAT(r.output, Not(HasSubstr("warning")));
}

}  // namespace
}  // namespace kumiki::test
