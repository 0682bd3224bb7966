// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/program.h"

#include <gtest/gtest.h>

#include "backends/support/messages.h"
#include "gen/hdl/hdl.h"

namespace kumiki::flow {
namespace program_test {

struct Said {
  int code;
  std::string err;
};
Said said(const std::function<int()>& program) {
  ::testing::internal::CaptureStderr();
  const int code = run_program(program);
  return {code, ::testing::internal::GetCapturedStderr()};
}

TEST(Program, AMistakeIsASentenceAndAnExitCode) {
  EXPECT_EQ(said([] { return 0; }).code, 0);
  const auto design = said([]() -> int {
    gen::Builder b;
    gen::Scope s(b, b.design().add_module("m"));
    s.output("y", gen::add(s, s.input<gen::UInt>("a", 3), s.input<gen::UInt>("b", 4)));
    return 0;
  });
  EXPECT_EQ(design.code, 1);
  EXPECT_NE(design.err.find("error: tests/gen/flow/program_test.cpp:"), std::string::npos)
      << design.err;
  EXPECT_NE(design.err.find(" [widths-differ]\n"), std::string::npos) << design.err;
  const auto file = said([]() -> int { throw FileError(code::file_not_read, "cannot read x"); });
  EXPECT_EQ(file.code, 4);
  EXPECT_EQ(file.err, "error: cannot read x [file-not-read]\n");
  EXPECT_EQ(said([]() -> int { throw ToolError(code::tool_failed, "no yosys"); }).code, 4);
  EXPECT_EQ(said([]() -> int { throw std::out_of_range("of the model"); }).err,
            "error: of the model\n");
}

}  // namespace program_test
}  // namespace kumiki::flow
