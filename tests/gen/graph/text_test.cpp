// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/text.h"

#include <map>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/graph/messages.h"
#include "ir/error.h"
#include "tests/support/messages.h"
#include "tests/support/refusal.h"
#include "tests/support/seed.h"

namespace kumiki::gen::graph::text_test {
namespace {

using ::testing::HasSubstr;

const std::string text =
    "graph \"a network\"\n"
    "tensor x/in:0 u8 1x4x4 scale 0x1.99999ap-4 zero 128\n"
    "tensor \"second \\\"one\\\"\" s4 2x2x2 scale 0x1p-3 zero -8\n"
    "tensor pooled s4 2x1x1 scale 0x1p-3 zero -8\n"
    "tensor flat s4 2 scale 0x1p-3 zero -8\n"
    "tensor looked s16 2 scale 0x1p+0 zero 0\n"
    "tensor stepped s4 2 scale 0x1p+0 zero 0\n"
    "tensor sum s4 2 scale 0x1p+0 zero 0\n"
    "tensor best u1 1 scale 0x1p+0 zero 0\n"
    "input x/in:0\n"
    "output best\n"
    "conv c1 x/in:0 -> \"second \\\"one\\\"\" kernel 3x3 stride 2x2 before 1x1 after 0x0\n"
    "  scales 0x1.8p-7 0x1p-7\n"
    "  bias 12 -7\n"
    "  weights 1 0 -1 2 0 -2 1 0 -1 1 2 1 0 0 0 -1 -2 -1\n"
    "max_pool p \"second \\\"one\\\"\" -> pooled kernel 2x2\n"
    "reshape r pooled -> flat\n"
    "lookup l flat -> looked\n"
    "  values 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -32768\n"
    "thresholds t looked -> stepped lowest -1 levels 2\n"
    "  begins -5 6 7 7\n"
    "  falling 0 1\n"
    "add s stepped flat -> sum\n"
    "arg_max a sum -> best\n";

std::string said(const std::string& from) {
  return test::refusal<DesignError>([&] { parse_graph("net.graph", from); });
}

std::string with(const std::string& what, const std::string& by) {
  std::string changed = text;
  const auto at = changed.find(what);
  EXPECT_NE(at, changed.npos) << what;
  return changed.replace(at, what.size(), by);
}

TEST(GraphText, WhatIsWrittenIsReadAgain) {
  const Graph g = parse_graph("net.graph", text);
  EXPECT_EQ(g.tensors[0].scale, 0.1F);
  EXPECT_EQ(g.tensors[1].name, "second \"one\"");
  EXPECT_EQ(to_text(g), with(" after 0x0", ""));
  EXPECT_EQ(parse_graph("again", to_text(g)), g);
}

TEST(GraphText, PlacesOfAnInterpolationAreLists) {
  const std::string with_one =
      "graph g\ntensor x u8 1x2x2 scale 0x1p+0 zero 0\ntensor y u8 1x3x2 scale 0x1p+0 zero 0\n"
      "input x\noutput y\ninterpolate i x -> y truncates 1\n  rows 0 0 1\n"
      "  row_parts 0x0p+0 0x1p-1 0x1p-1\n  columns 0 1\n  column_parts 0x1p-2 0x1p-1\n";
  const Graph g = parse_graph("net.graph", with_one);
  EXPECT_EQ(to_text(g), with_one);
  Interpreter::Memory memory;
  Interpreter(g).run(std::vector<std::int32_t>{10, 20, 30, 45}, memory);
  EXPECT_EQ(memory[1], (Numbers{12, 20, 23, 32, 33, 45}));
  std::string endless = with_one;
  endless.replace(endless.find("0x1p-2"), 6, "inf");
  EXPECT_EQ(said(endless), "net.graph:10: \"inf\" is not a finite float32");
}

// The reals of a mean may be below 0.
TEST(GraphText, RealsOfAMeanAreRead) {
  const std::string mean =
      "graph g\ntensor x u1 1x1x2 scale 0x1p+0 zero 0\ntensor y s8 1x1x1 scale 0x1p-1 zero 0\n"
      "input x\noutput y\naverage_pool a x -> y kernel 1x2\n  reals -0x1.8p+0 0x1p-1\n";
  const Graph g = parse_graph("net.graph", mean);
  EXPECT_EQ(to_text(g), mean);
  Interpreter::Memory memory;
  Interpreter(g).run(std::vector<std::int32_t>{0, 1}, memory);
  EXPECT_EQ(memory[1], Numbers{-1});
}

TEST(GraphText, WhatIsDoneWithTheInputIsPartOfIt) {
  const std::string prepared =
      with("output best\n", "prepare minus 0x1p-1\nprepare over 0x1.8p+1\noutput best\n");
  const Graph g = parse_graph("net.graph", prepared);
  using Kind = Preparation::Kind;
  EXPECT_EQ(g.preparation, (std::vector<Preparation>{{Kind::minus, {0.5F}}, {Kind::over, {3}}}));
  EXPECT_EQ(parse_graph("again", to_text(g)), g);
  EXPECT_THAT(said(with("output best\n", "prepare root 2\noutput best\n")),
              HasSubstr("\"root\" must be plus, minus, from, times or over"));
  EXPECT_THAT(said(with("output best\n", "prepare over 0\noutput best\n")),
              HasSubstr("prepares its input with 0"));
}

TEST(GraphText, WhatCannotBeReadSaysItsLine) {
  EXPECT_EQ(said(""), "net.graph:1: the first line must be \"graph NAME\"");
  EXPECT_EQ(said("tensor x s8 1\n"), "net.graph:1: the first line must be \"graph NAME\"");
  EXPECT_EQ(said(with("u8", "w8")),
            "net.graph:2: \"w8\" is not a format; write one such as s8 or u4");
  EXPECT_EQ(said(with("1x4x4", "1x4xk")), "net.graph:2: \"k\" is not an integer, or out of range");
  EXPECT_EQ(said(with("0x1p-3", "0x1q")), "net.graph:3: \"0x1q\" is not a number");
  EXPECT_EQ(said(with("input x/in:0", "input nobody")),
            "net.graph:10: no line above declares a tensor nobody; declare it first");
  EXPECT_EQ(said(with("tensor flat", "tensor pooled")),
            "net.graph:5: tensor pooled is declared twice; give another name");
  EXPECT_EQ(said(with("kernel 3x3", "kernel 3")),
            "net.graph:12: the size of a window must be ROWSxCOLUMNS");
  EXPECT_EQ(said(with("kernel 3x3", "kernels 3x3")),
            "net.graph:12: unexpected word \"kernels\"; conv has no such property");
  EXPECT_EQ(said(with("max_pool", "min_pool")),
            "net.graph:16: unknown operator \"min_pool\"; use add, arg_max, average_pool, concat, "
            "constant, conv, conv_transpose, embed, global_average, interpolate, layer_norm, "
            "lookup, matmul, max_pool, mul, pick, reshape, resize, softmax, thresholds, "
            "transpose");
  EXPECT_EQ(said(with("levels 2", "level 2")),
            "net.graph:20: unexpected word \"level\"; thresholds has no such property");
  EXPECT_EQ(said(with("falling 0 1", "falling 0 300")),
            "net.graph:22: \"300\" is not an integer, or out of range");
  EXPECT_EQ(said(with("-32768", "-32769")),
            "net.graph:19: \"-32769\" is not an integer, or out of range");
  EXPECT_EQ(said(with("arg_max a sum -> best", "arg_max a sum")),
            "net.graph:24: a word is missing after a tensor");
  EXPECT_EQ(said(with("output best", "output best again")),
            "net.graph:11: unexpected word \"again\" at the end of the line; remove it");
  EXPECT_EQ(said(with("\"a network\"", "\"a network")),
            "net.graph:1: this quote is never closed; close it in the same line");
}

// Beginnings and damaged texts are read or refused.
TEST(GraphText, NothingIsReadBeyondItsEnd) {
  std::mt19937_64 random(test::rotating_seed());
  std::size_t read = 0, refused = 0;
  const auto look = [&](const std::string& t) {
    try {
      const Graph g = parse_graph("net.graph", t);
      EXPECT_EQ(parse_graph("again", to_text(g)), g);
      ++read;
    } catch (const DesignError& e) {
      EXPECT_STRNE(e.what(), "");
      ++refused;
    }
  };
  for (std::size_t n = 0; n < text.size(); ++n) look(text.substr(0, n));
  for (int n = 0; n < 500; ++n) {
    std::string damaged = text;
    for (auto times = 1 + random() % 3; times > 0; --times)
      damaged[random() % damaged.size()] =
          static_cast<char>(random() % 2 ? text[random() % text.size()] : random() % 256);
    look(damaged);
  }
  EXPECT_GT(read, 0u);
  EXPECT_GT(refused, text.size() / 2);
}

// Whatever float32 makes of what is written, a scale is a finite number above 0.
TEST(GraphText, ScalesAreRefusedInTheirLine) {
  const std::string text =
      "graph g\ntensor x s8 1x1x1 scale 0x1p-3\ntensor y s8 1x1x1\ninput x\noutput y\n"
      "conv c x -> y\n  scales 0x1p-5\n  bias 0\n  weights 1\n";
  const auto said = [&](const std::string& old, const std::string& scale) -> std::string {
    std::string changed = text;
    changed.replace(changed.find(old), old.size(), scale);
    try {
      parse_graph("net.graph", changed);
      return "read";
    } catch (const DesignError& e) {
      return e.what();
    }
  };
  const std::string rest = " in float32; it must be a finite number above 0";
  for (const auto& [scale, is] : std::map<std::string, std::string>{{"0", "0"},
                                                                    {"-0x1p-3", "-0.125"},
                                                                    {"inf", "inf"},
                                                                    {"-inf", "-inf"},
                                                                    {"nan", "nan"},
                                                                    {"1e60", "inf"},
                                                                    {"1e-60", "0"}}) {
    EXPECT_EQ(said("0x1p-3", scale),
              "net.graph:2: the scale \"" + scale + "\" of x is " + is + rest);
    EXPECT_EQ(said("0x1p-5", scale),
              "net.graph:7: the scale \"" + scale + "\" of c is " + is + rest);
  }
  EXPECT_EQ(said("0x1p-3", "0x1p-149"), "read");
  EXPECT_EQ(said("0x1p-5", "0x1.fffffep127"), "read");
}

void run(const std::vector<std::int32_t>& image) {
  const Graph g = parse_graph(
      "net.graph",
      "graph g\ntensor x s8 1x2x2\ntensor y s8 4\ninput x\noutput y\nreshape r x -> y\n");
  Interpreter(g).run_all(image, g.outputs[0], 1);
}

TEST(GraphMessages, EachHasItsCode) {
  const auto parse = [](const std::string& t) { return [t] { parse_graph("net.graph", t); }; };
  test::expect_messages(
      "messages/graphs.txt",
      {{code::graph_text, parse(with("u8", "w8"))},
       {code::illegal_graph, parse("graph g\ntensor x s8 1x3x3\ntensor y s8 1x1x1\ninput x\n"
                                   "output y\nconv conv x -> y kernel 3x3\n  scales 0x1p+0\n"
                                   "  bias 0\n  weights 1 2\n")},
       {code::image_size,
        [] {
          run({1, 2, 3});
        }},
       {code::image_range, [] {
          run({1, 2, 300, 4});
        }}});
}

}  // namespace
}  // namespace kumiki::gen::graph::text_test
