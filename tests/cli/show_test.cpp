// SPDX-License-Identifier: Apache-2.0
// Pictures on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CliShow : public InFolder {};

TEST_F(CliShow, AModuleAsBlocks) {
  const auto top = kumiki("show quickstart.json --blocks");
  EXPECT_EQ(top.status, 0) << top.err;
  expect_golden("cli/show-blocks-top.txt", top.out);
  const auto dot = kumiki("show quickstart.json --blocks --module dot_wp487_int8_s8xs8_n7");
  expect_golden("cli/show-blocks-dot.txt", dot.out);
}

TEST_F(CliShow, AModuleForGraphvizAndByGraphviz) {
  ASSERT_EQ(kumiki("show quickstart.json -o " + path("top.dot")).status, 0);
  expect_golden("cli/show-blocks-top.dot", text("top.dot"));
  const auto svg = kumiki("show conv-3x3.json -o " + path("top.svg"));
  ASSERT_EQ(svg.status, 0) << svg.err;
  EXPECT_THAT(text("top.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(text("top.svg"), HasSubstr("in_data"));
}

TEST_F(CliShow, ALayerBitByBit) {
  const auto layer = kumiki("show quickstart.json --layer pixels");
  EXPECT_EQ(layer.status, 0) << layer.err;
  EXPECT_THAT(layer.out, HasSubstr("|ggggggggggggggpppppppppppppppp|ggpppppppppppppppp|"));
  ASSERT_EQ(kumiki("show quickstart.json --layer pixels -o " + path("pixels.svg")).status, 0);
  ASSERT_EQ(kumiki("plan quickstart.json -o " + path("plans")).status, 0);
  EXPECT_EQ(text("pixels.svg"), text("plans/pixels.packing.svg"));
  // Beside it nothing else has appeared.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

// A file of the user's stays, whatever would be drawn there.
TEST_F(CliShow, AFileThatIsThereIsReplacedWhenAskedTo) {
  for (const char* command : {"show quickstart.json -o ", "show quickstart.json --layer pixels -o ",
                              "show models/digits_mlp.onnx -o ", "picture shapes --size 4x4 -o "}) {
    const std::string name = std::string(command).starts_with("p") ? "a.pgm" : "a.svg";
    const std::string file = path(name);
    write(name, "mine");
    const auto r = kumiki(command + file);
    EXPECT_EQ(r.status, 4) << command;
    EXPECT_THAT(r.err, HasSubstr("is there already; name another file with -o, or give --force"));
    EXPECT_EQ(text(name), "mine");
    EXPECT_EQ(kumiki(command + file + " --force").status, 0) << command;
    EXPECT_NE(text(name), "mine");
  }
}

TEST_F(CliShow, WhatThereIsNot) {
  auto r = kumiki("show quickstart.json --layer pixel");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("unknown layer \"pixel\"; use pixels or maps"));
  r = kumiki("show quickstart.json --layer pixels --picture tree -o " + path("x.svg"));
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("unknown picture \"tree\"; use packing or beats"));
  r = kumiki("show quickstart.json -o " + path("x.png"));
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("use NAME.svg or NAME.dot"));
  EXPECT_EQ(kumiki("show quickstart.json --layer pixels --blocks").status, 2);
  EXPECT_EQ(kumiki("show quickstart.json --layer pixels --picture packing").status, 2);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace kumiki::test
