// SPDX-License-Identifier: Apache-2.0
// What no graph may be: each rule broken alone, in a graph that is legal otherwise.
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/graph.h"
#include "ir/error.h"

namespace kumiki::gen::graph::check_test {
namespace {

// A convolution, a maximum and an addition of the result to itself.
Graph plain() {
  Graph g;
  g.name = "g";
  g.tensors = {{"x", {2, 4, 4}, {8, false}, 3, 0.5F},
               {"y", {4, 3, 3}, {8, true}, -1, 0.25F},
               {"z", {4, 2, 2}, {8, true}, -1, 0.25F},
               {"sum", {4, 2, 2}, {8, true}, 0, 0.5F}};
  Conv c{.window = {.kernel = {2, 2}},
         .weights = std::vector<std::int16_t>(4 * 2 * 2 * 2, 1),
         .bias = {1, 2, 3, 4},
         .scales = {0.125F}};
  g.nodes = {{"c", c, {0}, 1}, {"p", MaxPool{{.kernel = {2, 2}}}, {1}, 2}, {"a", Add{}, {2, 2}, 3}};
  g.input = 0;
  g.outputs = {3};
  return g;
}

std::string broken(const std::function<void(Graph&)>& by) {
  Graph g = plain();
  by(g);
  std::string text;
  for (const Finding& f : check(g)) text += (text.empty() ? "" : "; ") + f.where + " " + f.message;
  return text;
}
Conv& conv(Graph& g) { return std::get<Conv>(g.nodes[0].op); }
Window& pool(Graph& g) { return std::get<MaxPool>(g.nodes[1].op).window; }

TEST(GraphCheck, ALegalGraphHasNoFinding) {
  EXPECT_EQ(broken([](Graph&) {}), "");
  EXPECT_NO_THROW(require_legal(plain()));
}

TEST(GraphCheck, AveragePools) {
  const auto of = [](const std::function<void(Graph&, Window&)>& by) {
    return broken([&](Graph& g) {
      g.nodes[1] = {"p", AveragePool{{.kernel = {2, 2}}}, {1}, 2};
      g.nodes[2] = {"a", Reshape{}, {2}, 3};
      g.tensors[3] = g.tensors[2];
      g.tensors[3].name = "sum";
      by(g, std::get<AveragePool>(g.nodes[1].op).window);
    });
  };
  EXPECT_EQ(of([](Graph&, Window&) {}), "");
  EXPECT_EQ(of([](Graph&, Window& w) { w.stride = {2, 2}; }), "node p makes 4x1x1, but z is 4x2x2");
  EXPECT_EQ(of([](Graph&, Window& w) {
              w.kernel = {4, 2};
            }),
            "node p has a window of 4, larger than the padded map of 3");
  EXPECT_EQ(of([](Graph&, Window& w) {
              w.kernel = {1 << 15, 1 << 15};
              w.before = {1 << 15, 1 << 15};
            }),
            "node p averages windows of 32768 x 32768 numbers; it must be at most 16777216");
  EXPECT_EQ(of([](Graph& g, Window&) {
              g.tensors[1].format = {17, true};
            }),
            "node p averages numbers of 17 bits; they must have at most 16");
  EXPECT_EQ(of([](Graph& g, Window&) { g.tensors[1].format = {16, true}; }), "");
  const auto of_reals = [](std::vector<float> reals, int after = 0) {
    return broken([&](Graph& g) {
      g.nodes[1] = {"p", AveragePool{{.kernel = {2, 2}, .after = {after, after}}, reals}, {1}, 2};
      g.tensors[2].shape = {4, 2 + after, 2 + after};
      g.tensors[3].shape = g.tensors[2].shape;
    });
  };
  EXPECT_EQ(of_reals(std::vector<float>(256, 1)), "");
  EXPECT_EQ(of_reals(std::vector<float>(255, 1)),
            "node p has 255 reals for numbers of 8 bits; it must have one for each number of at "
            "most 8 bits, or so many for each channel");
  EXPECT_EQ(of_reals(std::vector<float>(1024, 1)), "");
  for (const int order : {-1, 4})
    EXPECT_EQ(broken([&](Graph& g) {
                g.nodes[1].op = AveragePool{
                    .window = {.kernel = {2, 2}}, .reals = std::vector<float>(256), .order = order};
              }),
              "node p adds in the order " + std::to_string(order) +
                  "; it must be 0, or 0 to 3 with reals");
  EXPECT_EQ(broken([&](Graph& g) {
              g.nodes[1].op = AveragePool{.window = {.kernel = {2, 2}}, .order = 1};
            }),
            "node p adds in the order 1; it must be 0, or 0 to 3 with reals");
  EXPECT_EQ(of_reals(std::vector<float>(256, 1), 1),
            "node p pads a map of reals; its window must have no padding");
  EXPECT_THAT(of_reals(std::vector<float>(256, 0x1p127F)),
              testing::StartsWith("node p averages with the scales "));
  for (const auto& [in, out] :
       {std::pair{0x1p127F, 1.0F}, {1.0F, 0x1p-120F}, {0x1p-126F, 0x1p100F}, {0x1p110F, 0x1p-4F}})
    EXPECT_THAT(of([in = in, out = out](Graph& g, Window&) {
                  g.tensors[1].scale = in;
                  g.tensors[2].scale = g.tensors[3].scale = out;
                }),
                testing::StartsWith("node p averages with the scales "));
}

TEST(GraphCheck, VectorsOfIndices) {
  const auto of = [](int size, std::size_t numbers, graph::Shape shape = {4, 9, 2},
                     std::int16_t number = 1) {
    return broken([&](Graph& g) {
      g.tensors[1] = {"y", {4, 9}, {3, true}, 0, 1};
      g.tensors[2].shape = g.tensors[3].shape = std::move(shape);
      g.nodes = {{"e", Embed{size, std::vector<std::int16_t>(numbers, number)}, {1}, 2},
                 {"a", Add{}, {2, 2}, 3}};
      g.input = 1;
    });
  };
  EXPECT_EQ(of(2, 8), "");
  EXPECT_EQ(of(2, 4), "");  // no number of an input is beyond the two rows
  EXPECT_EQ(of(2, 7), "node e has 7 numbers for vectors of 2; it must have at least one vector");
  EXPECT_EQ(of(0, 7), "node e has 7 numbers for vectors of 0; it must have at least one vector");
  EXPECT_EQ(of(2, 0), "node e has 0 numbers for vectors of 2; it must have at least one vector");
  EXPECT_EQ(of(2, 8, {4, 9, 3}), "node e makes 4x9x2, but z is 4x9x3");
  EXPECT_EQ(of(2, 8, {4, 9, 2}, 200), "node e has the value 200; it must be within [-128, 127]");
  EXPECT_EQ(broken([](Graph& g) {
              g.nodes[1].op = Embed{1, {1}};
            }),
            "node p reads y, which is 4x3x3; it must have one axis or two");
  EXPECT_EQ(broken([](Graph& g) {
              g.tensors[0].shape = g.tensors[1].shape = {2};
              g.tensors[2].shape = g.tensors[3].shape = {2, 1};
              g.nodes[0].op = Lookup{std::vector<std::int16_t>(256, 2)};
              g.nodes[1].op = Embed{1, {5, 6}};
            }),
            "node p reads indices of 2; they must be [-2, 1]");
}

TEST(GraphCheck, TransposedConvolutions) {
  const auto of = [](const std::function<void(Graph&, ConvTranspose&)>& by) {
    return broken([&](Graph& g) {
      ConvTranspose op{.window = {.kernel = {2, 2}, .stride = {2, 2}},
                       .groups = 2,
                       .weights = std::vector<float>(32, 0.5F),
                       .bias = std::vector<float>(4, -1)};
      g.tensors[2].shape = g.tensors[3].shape = {4, 6, 6};
      by(g, op);
      g.nodes[1].op = op;
    });
  };
  EXPECT_EQ(of([](Graph&, ConvTranspose&) {}), "");
  const std::string window =
      "node p has a window with a kernel, stride, dilation or padding that is not possible; they "
      "must be 1 to 4096, and padding 0 to 4095";
  EXPECT_EQ(of([](Graph&, ConvTranspose& c) { c.window.stride[1] = 0; }), window);
  EXPECT_EQ(of([](Graph&, ConvTranspose& c) { c.window.before[0] = -1; }), window);
  EXPECT_EQ(of([](Graph&, ConvTranspose& c) { c.groups = 3; }),
            "node p has 3 groups for 4 and 4 channels; they must divide both");
  EXPECT_EQ(of([](Graph&, ConvTranspose& c) { c.groups = 1; }),
            "node p has 32 weights and 4 numbers of bias; it must have 64 and 4");
  EXPECT_EQ(of([](Graph&, ConvTranspose& c) { c.bias.pop_back(); }),
            "node p has 32 weights and 3 numbers of bias; it must have 32 and 4");
  EXPECT_EQ(of([](Graph& g, ConvTranspose&) {
              g.tensors[1].format = {17, true};
            }).substr(0, 60),
            "node p makes 8 bits of 17; numbers must have at most 16");
  EXPECT_THAT(of([](Graph&, ConvTranspose& c) { c.weights[3] = 0x1p120F; }),
              testing::StartsWith("node p has sums of up to "));
  EXPECT_THAT(of([](Graph&, ConvTranspose& c) { c.bias[3] = 0x1p127F; }),
              testing::EndsWith("they must be finite in float32"));
}

TEST(GraphCheck, Interpolations) {
  const auto of = [](const std::function<void(Graph&, Interpolate&)>& by) {
    return broken([&](Graph& g) {
      g.nodes[1] = {"p",
                    Interpolate{.rows = {0, 2},
                                .columns = {1, 1},
                                .row_parts = {0, 0.5F},
                                .column_parts = {0.25F, 1}},
                    {1},
                    2};
      by(g, std::get<Interpolate>(g.nodes[1].op));
    });
  };
  EXPECT_EQ(of([](Graph&, Interpolate&) {}), "");
  EXPECT_EQ(of([](Graph&, Interpolate& i) { i.truncates = 1; }), "");
  EXPECT_EQ(of([](Graph&, Interpolate& i) { i.truncates = 2; }),
            "node p has truncates 2; it must be 0 or 1");
  EXPECT_EQ(of([](Graph&, Interpolate& i) {
              i.rows = {0, 3};
            }),
            "node p has rows from 3 on with the part 0.5; it must be 0 to 2, and the part 0 to 1");
  EXPECT_EQ(
      of([](Graph&, Interpolate& i) { i.column_parts[1] = 1.5F; }),
      "node p has columns from 1 on with the part 1.5; it must be 0 to 2, and the part 0 to 1");
  EXPECT_EQ(of([](Graph&, Interpolate& i) { i.columns.clear(); }),
            "node p has 0 columns and 2 parts of them; it must have as many of both, 1 to 1048576");
  EXPECT_EQ(of([](Graph&, Interpolate& i) {
              i.rows = {0};
              i.row_parts = {0};
            }),
            "node p makes 4x1x2, but z is 4x2x2");
  EXPECT_EQ(of([](Graph& g, Interpolate&) {
              g.tensors[1].format = {17, true};
            }),
            "node p makes 8 bits of 17; numbers must have at most 16");
  EXPECT_THAT(of([](Graph& g, Interpolate& i) {
                g.tensors[1].scale = 0.5F;
                i.truncates = 1;
              }),
              testing::StartsWith("node p reads y and makes z, which differ in format, scale or "));
  EXPECT_THAT(of([](Graph& g, Interpolate&) { g.tensors[1].scale = 0x1p127F; }),
              testing::StartsWith("node p has the scales 1.7014118e+38 and 0.25: "));
}

// Each scale is legal, and what is divided is not.
TEST(GraphCheck, RatiosOfScales) {
  const std::string rest =
      " of the scales of z and sum; it must be from 2^-126 to 2^20; give them scales that are "
      "nearer to each other";
  const auto of_add = [](float in, float out) {
    return broken([&](Graph& g) {
      g.tensors[1].scale = g.tensors[2].scale = in;
      g.tensors[3].scale = out;
    });
  };
  EXPECT_EQ(of_add(0x1p127F, 0x1p-126F), "node a takes the ratio inf" + rest);
  EXPECT_EQ(of_add(0x1p-126F, 0x1p127F), "node a takes the ratio 0" + rest);
  EXPECT_EQ(of_add(0x1p-100F, 0x1p27F), "node a takes the ratio 5.877472e-39" + rest);
  EXPECT_EQ(of_add(0x1p-100F, 0x1p26F), "");
  EXPECT_EQ(of_add(0x1p20F, 1), "");
  EXPECT_EQ(of_add(0x1.000002p20F, 1), "node a takes the ratio 1048576.1" + rest);
  const auto of_average = [](float in, float out) {
    return broken([&](Graph& g) {
      g.tensors[1].scale = g.tensors[2].scale = in;
      g.tensors[3] = {"m", {4, 1, 1}, {8, true}, 0, out};
      g.nodes[2] = {"m", GlobalAverage{}, {2}, 3};
    });
  };
  const std::string pixels =
      ": the scale of z over that of m and 4 pixels must be a normal float32; give them scales "
      "that are nearer to each other";
  EXPECT_EQ(of_average(0x1p127F, 0x1p-20F), "node m multiplies sums by inf" + pixels);
  EXPECT_EQ(of_average(0x1p-126F, 0x1p100F), "node m multiplies sums by 0" + pixels);
  EXPECT_EQ(of_average(0x1p-126F, 1), "node m multiplies sums by 2.938736e-39" + pixels);
  EXPECT_EQ(of_average(0x1p-124F, 1), "");
}

TEST(GraphCheck, Preparations) {
  using Kind = Preparation::Kind;
  EXPECT_EQ(broken([](Graph& g) {
              g.preparation = {{Kind::minus, {0.5F}}, {Kind::times, {1, 2}}};
            }),
            "");
  EXPECT_EQ(broken([](Graph& g) {
              g.preparation = {{Kind::plus, {1, 2, 3}}};
            }),
            "graph g prepares its input with 3 numbers; it must be 1 or 2");
  EXPECT_EQ(broken([](Graph& g) {
              g.preparation = {{Kind::over, {0}}};
            }),
            "graph g prepares its input with 0; it must be a finite number, and not 0 to divide");
}

TEST(GraphCheck, Tensors) {
  EXPECT_EQ(broken([](Graph& g) { g.tensors[1].name = "x"; }),
            "tensor x is there twice; give it another name");
  EXPECT_EQ(broken([](Graph& g) { g.tensors[0].shape = {}; }),
            "tensor x has 0 axes; it must have 1 to 3, without that of the images");
  EXPECT_EQ(broken([](Graph& g) { g.tensors[0].shape[1] = 0; }),
            "tensor x has an axis of 0; it must be 1 to 1048576");
  EXPECT_EQ(broken([](Graph& g) {
              g.tensors[0].shape = {1 << 20, 1 << 20, 1 << 20};
            }),
            "tensor x has more than 268435456 numbers");
  EXPECT_EQ(broken([](Graph& g) { g.tensors[0].format.bits = 33; }),
            "tensor x has numbers of 33 bits; they must have 1 to 32");
  EXPECT_EQ(broken([](Graph& g) { g.tensors[0].zero_point = 256; }),
            "tensor x has a zero point of 256; it must be within [0, 255]");
  for (const float scale : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()})
    EXPECT_THAT(broken([&](Graph& g) { g.tensors[0].scale = scale; }),
                ::testing::HasSubstr("a finite number above 0"));
}

TEST(GraphCheck, WhatIsNotThere) {
  EXPECT_EQ(broken([](Graph& g) { g.input = 9; }), "graph g has no input");
  EXPECT_EQ(broken([](Graph& g) { g.outputs = {}; }), "graph g has no output");
  EXPECT_EQ(broken([](Graph& g) { g.outputs = {9}; }),
            "graph g has an output that is not a tensor");
  EXPECT_EQ(broken([](Graph& g) { g.nodes[1].inputs = {9}; }),
            "node p names a tensor that does not exist");
  EXPECT_EQ(broken([](Graph& g) { std::swap(g.nodes[0], g.nodes[1]); }),
            "node p reads y, which no node before it makes");
  EXPECT_EQ(broken([](Graph& g) { g.nodes[1].output = 1; }),
            "node p makes y, which is made already; node a reads z, which no node before it makes; "
            "node a reads z, which no node before it makes");
  EXPECT_EQ(broken([](Graph& g) { g.nodes.pop_back(); }),
            "graph g has the output sum, which no node makes");
  EXPECT_EQ(broken([](Graph& g) { g.nodes[2].inputs = {2}; }),
            "node a has 1 inputs; it must have 2");
}

TEST(GraphCheck, Convolutions) {
  EXPECT_EQ(broken([](Graph& g) { conv(g).weights.pop_back(); }),
            "node c has 31 weights; it must have 32");
  EXPECT_EQ(broken([](Graph& g) {
              conv(g).scales = {1, 1};
            }),
            "node c has 2 scales; it must have 1 or 4");
  EXPECT_EQ(broken([](Graph& g) { conv(g).scales = {0}; }),
            "node c has a scale of 0; it must be a finite number above 0");
  const float inf = std::numeric_limits<float>::infinity();
  for (const float scale : {-1.0F, inf, -inf, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_THAT(broken([&](Graph& g) { conv(g).scales = {scale}; }),
                testing::StartsWith("node c has a scale of "));
  EXPECT_EQ(broken([](Graph& g) { conv(g).groups = 4; }),
            "node c has 4 groups; they must divide its 2 and 4 channels");
  EXPECT_EQ(broken([](Graph& g) {
              conv(g).window.kernel = {5, 2};
            }),
            "node c has a window of 5, larger than the padded map of 4");
  EXPECT_EQ(broken([](Graph& g) {
              conv(g).window.dilation = {1, 1 << 20};
            }),
            "node c has a window of 1048577, larger than the padded map of 4");
  EXPECT_THAT(broken([](Graph& g) {
                conv(g).window.stride = {0, 1};
              }),
              ::testing::HasSubstr("below 1"));
  EXPECT_EQ(broken([](Graph& g) {
              conv(g).window.before = {1, 0};
            }),
            "node c makes 4x4x3, but y is 4x3x3");
}

// Tap by tap, of every small window.
TEST(Window, SeesNothingWhereNoTapLiesInTheMap) {
  int blind = 0, all = 0;
  for (int kernel = 1; kernel <= 4; ++kernel)
    for (int stride = 1; stride <= 3; ++stride)
      for (int dilation = 1; dilation <= 4; ++dilation)
        for (int before = 0; before <= 5; ++before)
          for (int after = 0; after <= 3; ++after)
            for (int length = 1; length <= 5; ++length) {
              const Window w{.kernel = {1, kernel},
                             .stride = {1, stride},
                             .dilation = {1, dilation},
                             .before = {0, before},
                             .after = {0, after}};
              if (w.reach(1) > before + length + after) continue;  // it does not fit
              bool expected = false;
              for (int first = -before; first + w.reach(1) <= length + after; first += stride) {
                int inside = 0;
                for (int tap = 0; tap < kernel; ++tap) {
                  const int at = first + tap * dilation;
                  inside += at >= 0 && at < length;
                }
                expected |= inside == 0;
              }
              ASSERT_EQ(w.sees_nothing(1, length), expected)
                  << kernel << ' ' << stride << ' ' << dilation << ' ' << before << ' ' << after
                  << ' ' << length;
              blind += expected, ++all;
            }
  EXPECT_GT(blind, all / 10);
  EXPECT_LT(blind, all * 9 / 10);
  // As wide as a hostile file may have it, it does not take for ever.
  const Window wide{.kernel = {1, 1 << 20}, .before = {0, (1 << 20) - 1}};
  EXPECT_FALSE(wide.sees_nothing(1, 1 << 20));
}

TEST(GraphCheck, WhatHandsNumbersOnKeepsTheirMeaning) {
  EXPECT_EQ(broken([](Graph& g) { g.tensors[2].zero_point = 0; }),
            "node p reads y and makes z, which differ in format, scale or zero point; they must be "
            "equal, because it changes no number");
  EXPECT_EQ(broken([](Graph& g) {
              pool(g).after = {2, 0};
            }),
            "node p has padding of a whole window; it must be less than 2");
  // The map lies between the taps: kernel 2, two apart, on one line.
  const Window gap{.kernel = {2, 1}, .dilation = {2, 1}, .before = {1, 0}, .after = {1, 0}};
  EXPECT_TRUE(gap.sees_nothing(0, 1));
  EXPECT_FALSE(gap.sees_nothing(0, 2));
  EXPECT_FALSE(gap.sees_nothing(1, 3));
  EXPECT_EQ(broken([](Graph& g) {
              g.nodes[2].op = Transpose{{0, 1, 1}};
              g.nodes[2].inputs = {2};
            }),
            "node a has the order 0, 1, 1; it must have every axis from 0 to 2 once");
  EXPECT_EQ(broken([](Graph& g) {
              g.nodes[2].op = Reshape{};
              g.nodes[2].inputs = {1};
              g.tensors[3] = g.tensors[1];
              g.tensors[3].name = "sum";
              g.tensors[3].shape = {35};
            }),
            "node a makes 35 numbers of 36; it must make as many as it reads");
}

TEST(GraphCheck, ThresholdsAndTablesOfPairs) {
  const auto broken_by = [](const std::function<void(Thresholds&)>& by) {
    return broken([&](Graph& g) {
      Thresholds t{
          .lowest = -1, .levels = 2, .begins = {1, 2, 1, 1, 0, 5, -3, 4}, .falling = {0, 0, 1, 0}};
      by(t);
      g.tensors.push_back({"t", {4, 2, 2}, {2, true}, 0, 1});
      g.nodes.push_back({"th", t, {2}, 4});
    });
  };
  EXPECT_EQ(broken_by([](Thresholds&) {}), "");
  EXPECT_EQ(broken_by([](Thresholds& t) {
              t.begins = {1, 2};
              t.falling.clear();
            }),
            "");
  EXPECT_EQ(broken_by([](Thresholds& t) { t.levels = 0; }),
            "node th has 0 levels; it must have 1 to 65536");
  EXPECT_EQ(broken_by([](Thresholds& t) { t.begins.pop_back(); }),
            "node th has 7 thresholds; it must have 2 or 8");
  EXPECT_EQ(broken_by([](Thresholds& t) { t.begins[4] = 6; }),
            "node th has the threshold 5 after 6; thresholds must rise");
  EXPECT_EQ(broken_by([](Thresholds& t) { t.falling.pop_back(); }),
            "node th says of 3 channels whether they fall; it must be none or 4");
  EXPECT_EQ(broken_by([](Thresholds& t) { t.falling[1] = 2; }),
            "node th has 2 for a channel that falls; it must be 0 or 1");
  EXPECT_EQ(broken_by([](Thresholds& t) { t.lowest = 0; }),
            "node th makes numbers of [0, 2]; they must be within [-2, 1]");
  const auto added_by = [](const std::vector<std::int16_t>& table) {
    return broken([&](Graph& g) { std::get<Add>(g.nodes[2].op).table = table; });
  };
  EXPECT_EQ(added_by({1, 2}), "node a has 2 values; it must have 65536");
  EXPECT_EQ(added_by(std::vector<std::int16_t>(65536, 128)),
            "node a has the value 128; it must be within [-128, 127]");
  EXPECT_EQ(added_by(std::vector<std::int16_t>(65536, 1)), "");
}

TEST(GraphCheck, Products) {
  const auto said = [](const std::function<void(Graph&)>& change) {
    Graph g{.name = "product",
            .tensors = {{.name = "x", .shape = {2, 3, 3}}, {.name = "y", .shape = {2, 3, 3}}},
            .nodes = {{.name = "m", .op = Mul{}, .inputs = {0, 0}, .output = 1}},
            .outputs = {1}};
    change(g);
    const auto found = check(g);
    return found.empty() ? "" : found[0].message;
  };
  EXPECT_EQ(said([](Graph&) {}), "");
  EXPECT_EQ(said([](Graph& g) { g.tensors[1].shape = {2, 9}; }), "makes 2x3x3, but y is 2x9");
  EXPECT_EQ(said([](Graph& g) {
              g.tensors[0].format = {9, true};
            }),
            "has numbers of 9 bits in x; they must have at most 8");
  EXPECT_EQ(said([](Graph& g) { g.tensors[1].scale = 1e-5F; }),
            "multiplies by 100000: the scales of x and x over that of y must be from 2^-126 to "
            "2^14; give them scales that are nearer to each other");
  EXPECT_EQ(said([](Graph& g) {
              g.tensors.push_back({.name = "z", .shape = {2, 1, 1}});
              g.nodes.insert(g.nodes.begin(), {"g", GlobalAverage{}, {0}, 2});
              g.nodes[1].inputs = {0, 2};
            }),
            "multiplies 2x3x3 and 2x1x1; the shapes must be equal");
}

TEST(GraphCheck, LookupsAndIndices) {
  const auto last = [](Operator op, Shape in, Shape out) {
    return broken([&](Graph& g) {
      g.nodes[2] = {"l", op, {0}, 3};
      g.tensors[0].shape = in;
      g.nodes.erase(g.nodes.begin(), g.nodes.begin() + 2);
      g.tensors[3].shape = out;
    });
  };
  EXPECT_EQ(last(Lookup{std::vector<std::int16_t>(255)}, {2}, {2}),
            "node l has 255 values; it must have 256, or 256 for each channel");
  EXPECT_EQ(last(Lookup{std::vector<std::int16_t>(512)}, {2, 3, 3}, {2, 3, 3}), "");
  EXPECT_EQ(last(Lookup{std::vector<std::int16_t>(256, 200)}, {2}, {2}),
            "node l has the value 200; it must be within [-128, 127]");
  EXPECT_EQ(last(ArgMax{}, {2, 2, 2}, {1}), "node l reads x, which is 2x2x2; it must be a vector");
  EXPECT_EQ(last(ArgMax{}, {129}, {1}), "node l makes sum, which cannot hold the index 128");
  EXPECT_EQ(last(ArgMax{}, {128}, {1}), "");
  EXPECT_EQ(last(MaxPool{{.kernel = {1, 1}}}, {4, 4}, {4, 4}),
            "node l reads x, which is 4x4; it must be a map of channels x rows x columns");
}

TEST(GraphCheck, MapsThatMeetHaveEqualShapes) {
  EXPECT_EQ(broken([](Graph& g) {
              g.nodes[2].inputs = {2, 1};
            }),
            "node a adds 4x2x2 and 4x3x3; the shapes must be equal");
  EXPECT_EQ(broken([](Graph& g) {
              g.nodes[2].op = Concat{};
              g.nodes[2].inputs = {2, 1};
              g.tensors[3] = g.tensors[2];
              g.tensors[3].name = "sum";
              g.tensors[3].shape = {8, 2, 2};
            }),
            "node a joins 4x2x2 and 4x3x3; the shapes must differ in axis 0 alone");
  EXPECT_EQ(broken([](Graph& g) {
              g.nodes[2].op = Concat{.axis = 3};
              g.nodes[2].inputs = {1, 1};
            }),
            "node a joins along axis 3 of 4x3x3; it must be 0 to 2");
  // Kernel 2, two apart, around the one line there is.
  const auto pooled = [](int lines, int after) {
    return broken([=](Graph& g) {
      g.nodes = {
          {"p",
           MaxPool{{.kernel = {2, 1}, .dilation = {2, 1}, .before = {1, 0}, .after = {after, 0}}},
           {0},
           1}};
      g.tensors.resize(2);
      g.tensors[0].shape = {2, lines, 4};
      g.tensors[1] = g.tensors[0];
      g.tensors[1].name = "y";
      g.tensors[1].shape[1] = lines + after - 1;
      g.outputs = {1};
    });
  };
  EXPECT_EQ(pooled(1, 1), "node p has a window that sees nothing but padding; use less padding");
  EXPECT_EQ(pooled(2, 1), "");
  EXPECT_EQ(pooled(2, 0), "");
}

}  // namespace
}  // namespace kumiki::gen::graph::check_test
