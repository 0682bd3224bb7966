// SPDX-License-Identifier: Apache-2.0
// What goes wrong at the command line, and the codes behind it.
#include "backends/support/messages.h"

#include <gmock/gmock.h>

#include <new>
#include <stdexcept>

#include "backends/support/image/test_picture.h"
#include "gen/cli/told.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/messages.h"
#include "tests/support/messages.h"
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
           {code::usage, "--json check quickstart.json"},
           {code::unknown_command, "chek quickstart.json"},
           {code::unknown_command, "packin", 2, KUMIKI_BENCH_PROGRAM},
           {code::unknown_option, "plan quickstart.json --devise ku115"},
           {code::quantised_already, "import models/digits_mlp.onnx --calibrate images"},
           {code::missing_argument, "plan"},
           {code::missing_argument, "cost"},
           {code::missing_argument, "picture"},
           {code::extra_argument, "plan quickstart.json other.json"},
           {code::option_value, "sim quickstart.json --cycles many"},
           {code::option_value, "sim quickstart.json --with modelsim"},
           {code::option_value, "cache --kind netlist"},
           {code::option_value, "picture shapes --size 4 -o " + png},
           {code::option_value, "show quickstart.json -o " + png},
           {code::options_exclude, "sim edges.json --image in.png --whole"},
           {code::options_exclude, "sim quickstart.json --unisim models --with model"},
           {code::option_needs, "show quickstart.json --picture packing"},
           {code::option_needs_layer, "sim quickstart.json --whole"},
           {code::unknown_name, "show quickstart.json --layer pixel"},
           {code::unknown_name, "list dott"},
           {code::unknown_name, "picture chequer -o " + png},
           {code::unknown_code, "explain multiply-drivn"},
           {code::one_array, "cost " + path("two.json"), 1},
           {code::no_row, "compressor --heap nothing --no-naive", 2, KUMIKI_BENCH_PROGRAM},
           {code::file_is_there,
            "import models/digits_mlp.onnx --as array -o " + path("there.json"), 4},
           {code::picture_too_large,
            "sim " + path("t.json") + " --image " + path("large.png") + " -o " + png, 4},
           {code::picture_values,
            "sim " + path("few.json") + " --image " + path("bright.pgm") + " -o " + png, 4},
           {code::file_system, "check quickstart.json >/dev/full", 4}}) {
    const auto text = said(c.arguments, c.status, c.program);
    EXPECT_THAT(text, HasSubstr(" [" + std::string(c.code.word()) + "]\n")) << c.arguments;
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
             design = told_of(DesignError(code::loop, "round and round")),
             tool = told_of(ToolError(code::tool_failed, "no")),
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
