// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/interpret.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/text.h"
#include "ir/error.h"
#include "tests/support/golden.h"
#include "tests/support/random_graph.h"

namespace kumiki::gen::graph::interpret_test {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<std::int32_t>;

Numbers numbers(const std::string& line, std::string* name = nullptr) {
  std::istringstream in(line);
  std::string key;
  in >> key;
  if (name) in >> *name;
  Numbers all;
  for (std::int32_t n = 0; in >> n;) all.push_back(n);
  return all;
}

Numbers run(const std::string& text, const Numbers& image) {
  const Graph g = parse_graph("test.graph", text);
  const Interpreter interpreter(g);
  Interpreter::Memory memory;
  interpreter.run(image, memory);
  return memory[g.outputs[0]];
}

// Convolutions with padding, strides, dilation, groups and zero points, dense layers, additions,
// poolings, means, joins, reshapes and orders, every tensor of each (judged.py).
TEST(Interpret, EveryTensorIsThatOfOnnxruntime) {
  std::istringstream in(test::read_bytes(std::string(KUMIKI_TEST_DIR) + "/gen/graph/judged.txt"));
  std::string text, line;
  Numbers image;
  std::map<std::string, Numbers> wanted;
  std::map<std::string_view, std::size_t> seen;
  std::size_t cases = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("image ")) {
      image = numbers(line);
    } else if (line.starts_with("is ")) {
      std::string name;
      Numbers values = numbers(line, &name);
      wanted[name] = std::move(values);
    } else if (line == "end") {
      const Graph g = parse_graph("judged.txt", text);
      SCOPED_TRACE(g.name);
      ++cases;
      const Interpreter interpreter(g);
      Interpreter::Memory memory;
      interpreter.run(image, memory);
      for (const Node& n : g.nodes) {
        ++seen[name_of(n.op)];
        if (const auto found = wanted.find(g.tensors[n.output].name); found != wanted.end()) {
          EXPECT_EQ(memory[n.output], found->second) << n.name;
        }
      }
      EXPECT_FALSE(wanted.empty());
      // As text it is the same graph.
      EXPECT_EQ(parse_graph("again", to_text(g)), g);
      text.clear();
      wanted.clear();
    } else {
      text += line + "\n";
    }
  }
  EXPECT_EQ(cases, 30u);
  for (const auto* op :
       {"conv", "add", "max_pool", "global_average", "concat", "reshape", "transpose"})
    EXPECT_GT(seen[op], 2u) << op;
}

// All pairs of bytes, for scales at which the order of the additions counts (adds.py).
TEST(Interpret, AddsAreThoseOfOnnxruntimeForAllPairs) {
  std::istringstream in(test::read_bytes(std::string(KUMIKI_TEST_DIR) + "/gen/graph/adds.txt"));
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    std::istringstream words(line);
    std::string kind, scale, hash;
    words >> kind;
    Tensor of[3];
    for (Tensor& t : of) {
      words >> scale >> t.zero_point;
      t.scale = std::stof(scale);
      t.format = {8, kind == "s8"};
    }
    words >> hash;
    const auto low = static_cast<std::int32_t>(of[0].format.range().lo);
    std::uint64_t made = 0xCBF29CE484222325;
    for (std::int32_t a = low; a < low + 256; ++a)
      for (std::int32_t b = low; b < low + 256; ++b)
        made = (made ^ static_cast<std::uint8_t>(added(of[0], of[1], of[2], a, b))) *
               std::uint64_t{0x100000001B3};
    EXPECT_EQ(fmt::format("{:016x}", made), hash) << line;
  }
  EXPECT_GE(lines, 20u);
}

// Of 32 bits the largest number is no float32.
TEST(Interpret, AddsEndAtTheNumbersOfTheirResult) {
  const std::string head =
      "graph g\ntensor x s32 2\ntensor y s32 2 scale 0x1p-8\ninput x\noutput y\n";
  EXPECT_THAT(run(head + "add a x x -> y\n", {2147483647, -2147483647 - 1}),
              ElementsAre(2147483647, -2147483647 - 1));
}

// The same four numbers, whose mean is 5.5, in all their orders.
TEST(Interpret, MeansAreAddedFromTheFirstNumberOn) {
  const std::string text =
      "graph g\ntensor x u8 1x1x4 scale 0x1.99999ap-4\ntensor y u8 1x1x1 scale 0x1.99999ap-4\n"
      "input x\noutput y\naverage_pool a x -> y kernel 1x4\n";
  std::map<int, int> seen;
  Numbers image{0, 1, 1, 20};
  do {
    float sum = 0;
    for (const std::int32_t n : image) sum += static_cast<float>(n) * 0x1.99999ap-4F;
    const auto wanted = static_cast<int>(std::nearbyint(sum / 4 / 0x1.99999ap-4F));
    ++seen[wanted];
    EXPECT_THAT(run(text, image), ElementsAre(wanted));
  } while (std::ranges::next_permutation(image).found);
  EXPECT_GT(seen[5], 0);
  EXPECT_GT(seen[6], 0);
}

// Halves: the zero point is added before they are rounded. Padding is no number, but counts.
TEST(Interpret, MeansByHand) {
  const auto mean = [](int zero, const Numbers& image) {
    return run(fmt::format("graph g\ntensor x u8 1x1x2 zero 10\ntensor y u8 1x1x1 zero {}\n"
                           "input x\noutput y\naverage_pool a x -> y kernel 1x4 before 0x2\n",
                           zero),
               image);
  };
  EXPECT_THAT(mean(0, {10, 12}), ElementsAre(0));
  EXPECT_THAT(mean(1, {10, 12}), ElementsAre(2));
  EXPECT_THAT(mean(1, {11, 15}), ElementsAre(2));
  EXPECT_THAT(mean(250, {255, 255}), ElementsAre(255));
  EXPECT_THAT(mean(3, {0, 0}), ElementsAre(0));
}

// By hand: (3 - 1) * 2 + (5 - 1) * -3 + 4 = -4, times 0.5 is -2, plus the zero point 10.
TEST(Interpret, SumsByHand) {
  EXPECT_THAT(run("graph g\n"
                  "tensor x u8 2x1x1 zero 1\n"
                  "tensor y u8 1x1x1 zero 10\n"
                  "input x\noutput y\n"
                  "conv c x -> y\n  scales 0x1p-1\n  bias 4\n  weights 2 -3\n",
                  {3, 5}),
              ElementsAre(8));
}

// Padding is the zero point: a border of zeros of meaning, not of the number 0.
TEST(Interpret, PaddingIsTheZeroPoint) {
  EXPECT_THAT(run("graph g\n"
                  "tensor x u8 1x1x2 zero 100\n"
                  "tensor y s8 1x1x2\n"
                  "input x\noutput y\n"
                  "conv c x -> y kernel 1x3 before 0x1 after 0x1\n"
                  "  scales 0x1p+0\n  bias 0\n  weights 1 1 1\n",
                  {101, 103}),
              ElementsAre(4, 4));
}

TEST(Interpret, TheFirstOfEqualMaximaIsTheIndex) {
  const std::string text =
      "graph g\ntensor x s8 4\ntensor y u8 1\ninput x\noutput y\narg_max a x -> y\n";
  EXPECT_THAT(run(text, {-3, 7, 7, 1}), ElementsAre(1));
  EXPECT_THAT(run(text, {-128, -128, -128, -128}), ElementsAre(0));
  EXPECT_THAT(run(text, {-128, -128, -128, 127}), ElementsAre(3));
}

// By hand: from the lowest result on one more for each threshold that x has reached, or has not
// where the channel falls.
TEST(Interpret, ThresholdsAreCounted) {
  const std::string head =
      "graph g\ntensor x s32 2x1x4 scale 0x1p+0 zero 0\ntensor y s3 2x1x4 scale 0x1p+0 zero 0\n"
      "input x\noutput y\nthresholds t x -> y lowest -2 levels 3\n";
  const Numbers image{-6, -5, 3, 1000, -6, -5, 3, 1000};
  EXPECT_THAT(run(head + "  begins -5 3 3 0 3 900\n  falling 0 1\n", image),
              ElementsAre(-2, -1, 1, 1, 1, 1, -1, -2));
  EXPECT_THAT(run(head + "  begins -5 3 3\n", image), ElementsAre(-2, -1, 1, 1, -2, -1, 1, 1));
}

// Large enough for a table of each channel, and too wide for one.
TEST(Interpret, ThresholdsOfLargeMapsAreCounted) {
  for (const auto* type : {"s8", "s9"}) {
    const Graph g = parse_graph(
        "g", fmt::format("graph g\ntensor x {} 2x16x40\ntensor y s3 2x16x40 scale 0x1p+0 zero 0\n"
                         "input x\noutput y\nthresholds t x -> y lowest -2 levels 3\n"
                         "  begins -128 3 3 -5 0 127\n  falling 0 1\n",
                         type));
    Numbers image(2 * 640), wanted;
    for (std::size_t i = 0; i < image.size(); ++i) {
      image[i] = static_cast<std::int32_t>(i * 37 % 256) - 128;
      wanted.push_back(std::get<Thresholds>(g.nodes[0].op).at(i / 640, image[i]));
    }
    const Interpreter interpreter(g);
    EXPECT_EQ(interpreter.run_all(image, g.outputs[0], 1), wanted) << type;
    EXPECT_EQ(interpreter.run_all(image, g.outputs[0], 3), wanted) << type;
  }
}

TEST(Interpret, AnAdditionMayBeATable) {
  EXPECT_THAT(run("graph g\ntensor a u1 4 scale 0x1p+0 zero 0\ntensor y s4 4 scale 0x1p+0 zero 0\n"
                  "input a\noutput y\nadd s a a -> y\n  values 5 -1 -2 -7\n",
                  {0, 1, 1, 0}),
              ElementsAre(5, -7, -7, 5));
}

TEST(Interpret, LookupBeginsAtTheLowestNumber) {
  EXPECT_THAT(run("graph g\ntensor x s2 4\ntensor y u4 4 zero 1\ninput x\noutput y\n"
                  "lookup l x -> y\n  values 10 11 12 13\n",
                  {-2, -1, 0, 1}),
              ElementsAre(10, 11, 12, 13));
}

TEST(Interpret, ManyImagesOnManyThreadsAreThoseOfOneByOne) {
  const Graph g = parse_graph("g",
                              "graph g\ntensor x s8 1x3x3 zero 2\ntensor y s8 2x2x2 zero -3\n"
                              "input x\noutput y\nconv c x -> y kernel 2x2\n  scales 0x1.8p-5 "
                              "0x1p-4\n  bias 5 -9\n  weights 1 2 3 4 -5 6 -7 8\n");
  const Interpreter interpreter(g);
  Numbers images(9 * 50);
  for (std::size_t i = 0; i < images.size(); ++i)
    images[i] = static_cast<std::int32_t>(i * 37 % 256) - 128;
  const auto one = interpreter.run_all(images, g.outputs[0], 1);
  ASSERT_EQ(one.size(), 8u * 50);
  std::size_t told = 0;
  EXPECT_EQ(interpreter.run_all(images, g.outputs[0], 3), one);
  EXPECT_EQ(interpreter.run_all(images, g.outputs[0], 2,
                                [&](std::size_t done) { return told = done, true; }),
            one);
  EXPECT_LE(told, 50u);
  EXPECT_TRUE(
      interpreter.run_all(images, g.outputs[0], 2, [](std::size_t) { return false; }).empty());
  Interpreter::Memory memory;
  interpreter.run(std::span(images).subspan(9, 9), memory);
  EXPECT_TRUE(
      std::equal(memory[g.outputs[0]].begin(), memory[g.outputs[0]].end(), one.begin() + 8));
}

// Tensors of different lives and sizes, which share memory.
TEST(Interpret, ARunnerKeepsTheWantedTensorsAlone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::RandomGraph random(seed);
    const Graph g = seed % 4 == 0 ? random.of_tokens() : random.made();
    const Interpreter interpreter(g);
    const TensorId inside = g.nodes[g.nodes.size() / 2].output;
    for (const unsigned threads : {1U, 3U}) {
      Interpreter::Runner runner(interpreter, {inside, g.outputs[0]}, threads);
      for (int i = 0; i < 3; ++i) {
        const Numbers image = test::random_images(g, 1, seed + static_cast<std::uint64_t>(i));
        Interpreter::Memory all;
        interpreter.run(image, all);
        const Interpreter::Memory& kept = runner.run(image);
        EXPECT_EQ(kept[inside], all[inside]) << seed;
        EXPECT_EQ(kept[g.outputs[0]], all[g.outputs[0]]) << seed;
        for (const Node& n : g.nodes)
          if (n.output != inside && n.output != g.outputs[0]) {
            EXPECT_TRUE(kept[n.output].empty()) << seed;
          }
      }
      EXPECT_THROW(runner.run(Numbers{}), DesignError);
    }
  }
}

std::string drawn(int count, int low, int high, std::mt19937_64& random) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format(" {}", std::uniform_int_distribution(low, high)(random));
  return text;
}

// With VNNI numbers between two of them are bytes, unless they are wanted or another node reads
// them. An Add reads `b` in one of the graphs. It is larger than `a`, which it is made of channel
// by channel.
TEST(Interpret, ConvolutionsBehindEachOther) {
  std::mt19937_64 random(1);
  const auto conv = [&](const std::string& head, int outputs, int terms) {
    return fmt::format("conv {}\n  scales 0x1p-6\n  bias{}\n  weights{}\n", head,
                       drawn(outputs, -999, 999, random),
                       drawn(outputs * terms, -128, 127, random));
  };
  const std::string text =
      "graph g\ntensor x u8 3x7x9 zero 3\ntensor a s8 8x7x9 zero -20\n"
      "tensor b u8 8x9x11 scale 0x1p-4 zero 128\ntensor c s8 8x9x11 scale 0x1p-4 zero -3\n"
      "tensor d u8 8x9x11 scale 0x1p-4 zero 9\ntensor e u8 8x9x11 scale 0x1p-4 zero 9\n"
      "input x\noutput e\n" +
      conv("a x -> a", 8, 3) + conv("b a -> b kernel 3x3 before 2x2 after 2x2 groups 8", 8, 9) +
      conv("c b -> c", 8, 8) + conv("d c -> d", 8, 8);
  for (const bool is_read_twice : {false, true}) {
    const Graph g =
        parse_graph("g", text + (is_read_twice ? "add e d b -> e\n" : conv("e d -> e", 8, 8)));
    const Interpreter interpreter(g);
    for (TensorId wanted = 0; wanted < g.tensors.size(); ++wanted) {
      Interpreter::Runner runner(interpreter, {wanted, g.outputs[0]}, 2);
      for (int i = 0; i < 4; ++i) {
        const Numbers image = numbers("image" + drawn(3 * 7 * 9, 0, 255, random));
        Interpreter::Memory all;
        interpreter.run(image, all);
        const Interpreter::Memory& kept = runner.run(image);
        EXPECT_EQ(kept[wanted], all[wanted]);
        EXPECT_EQ(kept[g.outputs[0]], all[g.outputs[0]]);
      }
    }
  }
}

TEST(Interpret, SeveralThreadsShareAnImage) {
  for (const Graph& g : {test::RandomGraph(5).made(), test::RandomGraph(5).of_tokens()}) {
    const Interpreter interpreter(g);
    const Numbers image = test::random_images(g, 1, 1);
    EXPECT_EQ(interpreter.run_all(image, g.outputs[0], 4),
              interpreter.run_all(image, g.outputs[0], 1));
  }
}

// An index into a table may not come from outside.
TEST(Interpret, ImagesThatTheInputCannotHoldAreRefused) {
  const Graph g = parse_graph("g",
                              "graph g\ntensor x s2 2\ntensor y u4 2\ninput x\noutput y\n"
                              "lookup l x -> y\n  values 1 2 3 4\n");
  const Interpreter interpreter(g);
  Interpreter::Memory memory;
  EXPECT_THROW(interpreter.run(Numbers{0, 2}, memory), DesignError);
  EXPECT_THROW(interpreter.run(Numbers{-3, 0}, memory), DesignError);
  EXPECT_THROW(interpreter.run(Numbers{0}, memory), DesignError);
  EXPECT_THROW(interpreter.run(Numbers{}, memory), DesignError);
  EXPECT_THROW(interpreter.run(Numbers{0, 0, 0, 0}, memory), DesignError);
  EXPECT_THROW(interpreter.run_all(Numbers{0, 0, 0, 2}, 1), DesignError);
  EXPECT_EQ(interpreter.run_all(Numbers{-2, 1, 0, 0}, 1, 1), (Numbers{1, 4, 3, 3}));
  EXPECT_TRUE(interpreter.run_all(Numbers{}, 1).empty());
}

// No sum leaves what `reachable_of` says, and its ends are reached.
TEST(Interpret, ReachableSumsAreThoseOfTheWorstImages) {
  const Graph g = parse_graph("g",
                              "graph g\ntensor x s4 3x1x1 zero 2\ntensor y s8 1x1x1\n"
                              "input x\noutput y\nconv c x -> y\n  scales 0x1p+0\n"
                              "  bias 7\n  weights 3 -2 0\n");
  // Numbers less the zero point are -10 to 5.
  const auto reachable = reachable_of(g, g.nodes[0]);
  ASSERT_EQ(reachable.size(), 1u);
  EXPECT_EQ(reachable[0], (arith::Interval{7 - 30 - 10, 7 + 15 + 20}));
  const Interpreter interpreter(g);
  Interpreter::Memory memory;
  interpreter.run(Numbers{-8, 7, 0}, memory);
  EXPECT_EQ(memory[1][0], -33);
  interpreter.run(Numbers{7, -8, 0}, memory);
  EXPECT_EQ(memory[1][0], 42);
}

}  // namespace
}  // namespace kumiki::gen::graph::interpret_test
