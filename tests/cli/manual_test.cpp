// SPDX-License-Identifier: Apache-2.0
// The manual page and the completions, made of the same table as --help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "backends/support/process.h"
#include "tests/cli/bench.h"
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
  for (const std::string& command : commands()) {
    EXPECT_THAT(page.out, HasSubstr(".SS " + command + "\n"));
    EXPECT_THAT(fish, HasSubstr(" -f -a " + command + " -d "));
    const auto help = kumiki(command + " --help").out;
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
  EXPECT_EQ(completes("kumiki s"), "sim synth show schema sweep search\n");
  EXPECT_EQ(completes("kumiki sim x.json --with v"), "verilator\n");
  EXPECT_EQ(completes("kumiki gen x.json --vec"), "--vectors\n");
  EXPECT_EQ(completes("kumiki check x.json --vec"), "\n");
  EXPECT_EQ(completes("kumiki explain unknown-com"), "unknown-command\n");
}

// Names of things, and of what stands in the configuration that was typed already.
TEST(CliManual, BashCompletesNames) {
  const auto file = written("completion-names.bash", kumiki("completion bash").out);
  auto completes = [&](const std::string& words) {
    auto r = backends::run_process(
        {"bash", "-c",
         "cd '" KUMIKI_TEST_DIR "/../examples' && source '" + file.string() + "' && COMP_WORDS=('" +
             KUMIKI_PROGRAM + "' " + words +
             ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kumiki; echo \"${COMPREPLY[@]}\""});
    EXPECT_EQ(r.status, 0) << r.output;
    return r.output;
  };
  EXPECT_EQ(completes("plan quickstart.json --device ku"), "ku115\n");
  EXPECT_EQ(completes("list bnn"), "bnn_neuron bnn_serial bnn_dense\n");
  EXPECT_EQ(completes("picture sh"), "shapes\n");
  EXPECT_EQ(completes("cache --kind t"), "tree\n");
  EXPECT_EQ(completes("show quickstart.json --layer p"), "pixels\n");
  EXPECT_EQ(completes("show quickstart.json --layer ''"), "pixels maps\n");
  EXPECT_EQ(completes("sim lenet5.json --with native --layer conv"), "conv1 conv2\n");
  EXPECT_EQ(completes("show report.html --layer p"), "\n");
  EXPECT_EQ(completes("check quicks"), "quickstart.json\n");
  // Layers without a name have one.
  const auto unnamed = written("unnamed.json", R"({"layers": [{"type": "dot"}, {"name": "b"}]})");
  EXPECT_EQ(kumiki("layers '" + unnamed.string() + "'").out, "dot_0\nb\n");
  const auto fish = kumiki("completion fish").out;
  EXPECT_THAT(fish, HasSubstr("-l device -r -f -a '7a35t "));
  EXPECT_THAT(fish, HasSubstr("-l layer -r -f -a '(kumiki layers (commandline -opc)[3]"));
}

TEST(CliManual, ThePageHasExamplesFilesAndEnvironment) {
  const auto page = kumiki("manual").out;
  for (const char* part :
       {".SH EXAMPLES\n.TP\n\\fBkumiki plan cfg.json\\fR\n", ".SH FILES\n", "out/report.html",
        ".SH ENVIRONMENT\n.TP\n\\fBKUMIKI_CACHE\\fR\n", "XDG_CACHE_HOME", "CXX"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(CliManual, WhatWasMeant) {
  const auto chek = kumiki("chek quickstart.json");
  EXPECT_EQ(chek.status, 2);
  EXPECT_EQ(chek.err,
            "kumiki: unknown command \"chek\" (did you mean \"check\"?) [unknown-command]\n");
  const auto far = kumiki("frobnicate");
  EXPECT_THAT(far.err, HasSubstr("kumiki: unknown command \"frobnicate\"; use check, plan, gen, "));
  EXPECT_THAT(far.err, HasSubstr(" sweep or search ["));
  const auto option = kumiki("plan quickstart.json --devise=ku115");
  EXPECT_EQ(option.status, 2);
  EXPECT_EQ(option.err,
            "kumiki: \"--devise\" is not an option of plan (did you mean \"--device\"?) "
            "[unknown-option]\n");
  EXPECT_THAT(
      kumiki("plan quickstart.json --frobnicate").err,
      HasSubstr("\"--frobnicate\" is not an option of plan; kumiki plan --help shows them"));
  const auto below = kumiki_bench("vision --terms 5");  // an option of other tables
  EXPECT_EQ(below.status, 2);
  EXPECT_THAT(below.err, HasSubstr("\"--terms\" is not an option of vision; "));
  EXPECT_THAT(kumiki_bench("packin").err,
              HasSubstr("unknown command \"packin\" (did you mean \"packing\"?"));
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
