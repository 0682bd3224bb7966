// SPDX-License-Identifier: Apache-2.0
// What goes wrong at the command line, and the codes behind it.
#include "tests/support/messages.h"

#include <gmock/gmock.h>

#include <new>
#include <stdexcept>

#include "backends/support/image/test_picture.h"
#include "gen/cli/told.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using ::testing::HasSubstr;

class CliMessages : public InFolder {
 protected:
  // Without the path of this test's folder.
  std::string said(const std::string& arguments, int status, const char* program) const {
    auto r = called(program, arguments);
    EXPECT_EQ(r.status, status) << arguments << "\n" << r.err;
    EXPECT_EQ(r.out, "") << arguments;
    const auto folder = folder_.string() + "/";
    for (auto at = r.err.find(folder); at != std::string::npos; at = r.err.find(folder))
      r.err.erase(at, folder.size());
    return r.err;
  }
  void vision(const std::string& name, const std::string& more) const {
    write(name, R"({"kumiki": 1, "name": "t", "layers": [{"type": "vision", "name": "v", )"
                R"("width": 64, "height": 64, )" +
                    more + R"("stages": [{"kernel": "gaussian"}]}]})");
  }
};

TEST_F(CliMessages, EachHasItsCode) {
  const auto array =
      R"({"type": "pe_array", "network": [{"type": "fc", "name": "a", "inputs": 1, "outputs": 1}]})";
  write("two.json",
        std::string(R"({"kumiki": 1, "name": "two", "layers": [)") + array + ", " + array + "]}");
  write("there.json", "{}");
  vision("t.json", "");
  vision("few.json", R"("bits": 4, )");
  backends::write_image(folder_ / "large.png", backends::test_picture("shapes", 65, 10, 3),
                        backends::FilesOfUser::replace);
  write("bright.pgm", "P2\n2 1\n255\n200 3\n");
  const auto png = path("out.png");
  struct Case {
    Code code;
    std::string arguments;
    int status = 2;
    const char* program = KUMIKI_PROGRAM;
  };
  std::string all;
  for (const Case& c : std::vector<Case>{
           {Code::usage, "--json check quickstart.json"},
           {Code::unknown_command, "chek quickstart.json"},
           {Code::unknown_command, "packin", 2, KUMIKI_BENCH_PROGRAM},
           {Code::unknown_option, "plan quickstart.json --devise ku115"},
           {Code::missing_argument, "plan"},
           {Code::missing_argument, "cost"},
           {Code::missing_argument, "picture"},
           {Code::extra_argument, "plan quickstart.json other.json"},
           {Code::option_value, "sim quickstart.json --cycles many"},
           {Code::option_value, "sim quickstart.json --with modelsim"},
           {Code::option_value, "cache --kind netlist"},
           {Code::option_value, "picture shapes --size 4 -o " + png},
           {Code::option_value, "show quickstart.json -o " + png},
           {Code::options_exclude, "sim edges.json --image in.png --whole"},
           {Code::options_exclude, "sim quickstart.json --unisim models --with model"},
           {Code::option_needs, "show quickstart.json --picture packing"},
           {Code::option_needs_layer, "sim quickstart.json --whole"},
           {Code::unknown_name, "show quickstart.json --layer pixel"},
           {Code::unknown_name, "list dott"},
           {Code::unknown_name, "picture chequer -o " + png},
           {Code::unknown_code, "explain multiply-drivn"},
           {Code::one_array, "cost " + path("two.json"), 1},
           {Code::no_row, "compressor --heap nothing --no-naive", 2, KUMIKI_BENCH_PROGRAM},
           {Code::file_is_there,
            "import models/digits_mlp.onnx --as array -o " + path("there.json"), 4},
           {Code::picture_too_large,
            "sim " + path("t.json") + " --image " + path("large.png") + " -o " + png, 4},
           {Code::picture_values,
            "sim " + path("few.json") + " --image " + path("bright.pgm") + " -o " + png, 4},
           {Code::file_system, "check quickstart.json >/dev/full", 4}}) {
    const auto text = said(c.arguments, c.status, c.program);
    EXPECT_THAT(text, HasSubstr(" [" + std::string(word(c.code)) + "]\n")) << c.arguments;
    all += text;
  }
  expect_golden("messages/command.txt", all);
}

// What no command line provokes.
TEST(CliMessagesOf, WhatWasThrown) {
  const auto told_of = [](const auto& thrown) {
    try {
      throw thrown;
    } catch (...) {
      return cli::told();
    }
  };
  const auto memory = told_of(std::bad_alloc()), length = told_of(std::length_error("x")),
             bug = told_of(std::out_of_range("map::at")),
             design = told_of(DesignError(Code::loop, "round and round")),
             tool = told_of(ToolError(Code::tool_failed, "no")),
             pipe = told_of(std::system_error(EPIPE, std::generic_category()));
  EXPECT_EQ(memory.exit, 4);
  EXPECT_EQ(length.text, memory.text);
  EXPECT_EQ(bug.exit, 70);
  EXPECT_EQ(design.exit, 1);
  EXPECT_EQ(design.text, "kumiki: round and round [loop]");
  EXPECT_EQ(tool.exit, 4);
  EXPECT_EQ(pipe.text, "");
  expect_golden("messages/thrown.txt", memory.text + "\n" + bug.text + "\n");
}

}  // namespace
}  // namespace kumiki::test
