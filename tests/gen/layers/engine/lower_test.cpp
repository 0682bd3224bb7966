// SPDX-License-Identifier: Apache-2.0
// Operations of an engine compute every tensor of a network as its definition does.
#include "gen/layers/engine/lower.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "backends/support/random.h"
#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "gen/layers/engine/hardware/core_plan.h"
#include "gen/layers/engine/messages.h"
#include "ir/error.h"
#include "tests/support/engine_networks.h"
#include "tests/support/engine_run.h"
#include "tests/support/long_form.h"
#include "tests/support/messages.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::lower_test {

// Every tensor after the last operation that makes a part of it, for runs with random images.
// Returns how many numbers were compared.
std::size_t expect_as_defined(const Program& p, std::size_t runs, std::uint64_t seed) {
  const graph::Graph& g = *p.graph;
  const graph::Interpreter definition(g), as_given(*p.whole);
  graph::Interpreter::Memory memory, given;
  const auto at_once = static_cast<std::size_t>(p.images());
  const auto all = test::random_images(*p.whole, runs * at_once, seed);
  const std::size_t own = graph::numbers_of_image(*p.whole), size = at_once * own;
  std::size_t compared = 0;
  std::map<std::size_t, std::size_t> made;  // by step
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const auto* op = std::get_if<Op>(&p.steps[i]);
    const auto* normalise = std::get_if<Normalise>(&p.steps[i]);
    if (!op && !normalise) continue;
    const std::size_t result = op ? op->result : normalise->result;
    std::erase_if(made, [&](const auto& m) { return m.second == result; });
    made[i] = result;
  }
  for (std::size_t i = 0; i < runs; ++i) {
    const auto image = std::span(all).subspan(i * size, size);
    std::vector<std::int32_t> numbers;  // in the order of the engine
    const auto outside = outside_of(p, image);
    for (const graph::TensorId id : graph::all_inputs(g))
      numbers.insert(numbers.end(), outside[id].begin(), outside[id].end());
    definition.run(numbers, memory);
    const auto outputs = run(p, image, [&](std::size_t step, const Machine& m) {
      if (!made.contains(step)) return;
      const std::size_t id = made[step];
      if (p.maps[id].channels == 0) return;
      const auto numbers = m.numbers(p.maps[id], g.tensors[id]);
      EXPECT_EQ(numbers, memory[id])
          << g.name << ", step " << step << ", tensor " << g.tensors[id].name;
      compared += numbers.size();
    });
    const std::size_t count = p.whole->outputs.size();
    EXPECT_EQ(outputs.size(), at_once * count);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (o % count == 0) as_given.run(image.subspan(o / count * own, own), given);
      EXPECT_EQ(outputs[o], given[p.whole->outputs[o % count]]) << g.name << ", output " << o;
      compared += outputs[o].size();
    }
  }
  return compared;
}

// The same steps in an order that the two units may have: each of them does its own in order, and
// any of them is ahead as far as the program allows.
Program in_another_order(const Program& p, std::uint64_t seed) {
  backends::lockstep::Random random(seed, "order");
  std::array<std::vector<std::size_t>, 2> of_unit;
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    of_unit[std::holds_alternative<Op>(p.steps[i]) ? 1 : 0].push_back(i);
  Program other = p;
  other.steps.clear();
  std::array<std::size_t, 2> done{};
  std::size_t ahead = 0;
  while (other.steps.size() < p.steps.size()) {
    if (random.below(8) == 0) ahead = 1 - ahead;
    const auto may_run = [&](std::size_t unit) {
      return done[unit] < of_unit[unit].size() &&
             p.waits[of_unit[unit][done[unit]]] <= done[1 - unit];
    };
    const std::size_t unit = may_run(ahead) ? ahead : 1 - ahead;
    EXPECT_TRUE(may_run(unit)) << "both units wait";
    if (!may_run(unit)) break;
    other.steps.push_back(p.steps[of_unit[unit][done[unit]++]]);
  }
  return other;
}

constexpr EngineShape small{.rows = 4, .columns = 2, .places = 65536};

TEST(EngineProgram, RandomGraphsAreAsDefined) {
  const std::uint64_t seed = test::rotating_seed();
  std::size_t compared = 0, refused = 0;
  const int graphs = test::long_form() ? 3000 : 300;
  for (int i = 0; i < graphs; ++i) {
    test::RandomGraph random(seed * 100'000 + static_cast<std::uint64_t>(i));
    const graph::Graph g = i % 4 == 0    ? random.of_identities()
                           : i % 4 == 1  ? random.of_few_bits()
                           : i % 16 == 2 ? random.of_tokens()
                                         : random.made();
    try {
      const std::int64_t images = i % 3 == 0 ? 1 + i % 4 : 1;
      compared +=
          expect_as_defined(lower(g, small, images), 2, seed + static_cast<std::uint64_t>(i));
    } catch (const DesignError&) {
      ++refused;
    }
    ASSERT_FALSE(HasFailure()) << "graph " << i;
  }
  std::printf("%zu numbers, %zu of %d graphs refused\n", compared, refused, graphs);
  EXPECT_GT(compared, 1000u);
}

// What a program does so that its maps fit.
struct Means {
  std::size_t strips = 0, stored = 0, together = 0, in_place = 0, behind = 0, by_block = 0,
              in_phases = 0, beside = 0;
};
void count(const Program& p, Means& all) {
  const graph::Graph& g = *p.graph;
  std::set<std::size_t> loaded;
  std::array<std::size_t, 2> before{};  // moves, operations
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const std::size_t unit = std::holds_alternative<Op>(p.steps[i]) ? 1 : 0;
    EXPECT_LE(p.waits[i], before[1 - unit]) << "step " << i;
    all.beside += unit == 0 && p.beside(i) > 0;
    ++before[unit];
  }
  // The places of a second number that its sum overwrites, whose map is another one.
  const auto overlap = [&](const Op& op, const Map& sum) {
    const std::int64_t from = op.second->from.first, to = op.target.first;
    return from > to && from < to + sum.places();
  };
  for (const Step& step : p.steps) {
    if (const auto* l = std::get_if<Load>(&step)) all.strips += !loaded.insert(l->tensor).second;
    if (const auto* s = std::get_if<Store>(&step))
      all.stored += std::ranges::count(g.outputs, s->tensor) == 0;
    if (const auto* s = std::get_if<Store>(&step)) all.together += s->first_channel > 0;
    if (const auto* op = std::get_if<Op>(&step)) {
      all.in_place += op->second && op->second->from == op->target;
      all.behind += op->second && overlap(*op, p.maps[op->result]);
      all.in_phases += op->second && !follows(op->second->from, op->walk);
      all.by_block += op->first_tile > 0 && op->target.block_step == 0;
    }
  }
}

// Programs of a graph for less and less memory; steps in another order. Returns how many numbers
// were compared.
std::size_t expect_as_defined_in_little_memory(const graph::Graph& g, std::uint64_t seed,
                                               Means& means, bool normalises = false) {
  std::size_t compared = 0;
  EngineShape shape = small;
  shape.normalises = normalises;
  const std::int64_t images = seed % 4 == 0 ? 2 : 1;
  try {
    shape.places = lower(g, shape, images).places;
    for (int k = 0; k < 6; ++k) {
      shape.places = shape.places * 3 / 4;
      const Program p = lower(g, shape, images);
      EXPECT_LE(p.places, shape.places);
      count(p, means);
      compared += expect_as_defined(in_another_order(p, seed), 1, seed);
    }
  } catch (const DesignError&) {  // no unit, or no way to make the maps smaller
  }
  return compared;
}

TEST(EngineProgram, RandomGraphsAreAsDefinedInLittleMemory) {
  const std::uint64_t seed = test::rotating_seed();
  std::size_t compared = 0;
  Means means;
  const int graphs = test::long_form() ? 2000 : 200;
  for (int i = 0; i < graphs; ++i) {
    const std::uint64_t n = seed * 100'000 + static_cast<std::uint64_t>(i);
    compared += expect_as_defined_in_little_memory(test::RandomGraph(n).made(), n, means);
    ASSERT_FALSE(HasFailure()) << "graph " << i;
  }
  std::printf("%zu numbers, %zu strips, %zu stored\n", compared, means.strips, means.stored);
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(means.strips, 0u);
  EXPECT_GT(means.stored, 0u);
}

// Windows that move by what their columns have in common: patches, with and without an overlap, and
// images that are no whole number of them. A part of the columns becomes channels.
TEST(EngineProgram, PatchesAreAsDefined) {
  const std::uint64_t seed = test::rotating_seed();
  const EngineShape shape{.rows = 16, .columns = 4, .places = 8192};
  std::size_t compared = 0, unfolded = 0;
  Means means;
  for (const auto& [kernel, stride, before] :
       {std::array{8, 8, 0}, {6, 6, 0}, {8, 4, 4}, {10, 5, 0}, {12, 4, 8}, {9, 3, 3}, {5, 5, 0}})
    for (const int width : {2 * kernel, 3 * kernel + 1}) {
      graph::Graph g = test::convolution_of(
          {3, kernel + stride, width},
          {.kernel = {kernel, kernel}, .stride = {stride, stride}, .before = {before, before}}, 1,
          seed + static_cast<std::uint64_t>(kernel));
      const graph::Window& window = std::get<graph::Conv>(g.nodes[0].op).window;
      const Program p = lower(g, shape);
      for (const Step& step : p.steps) {
        const auto* load = std::get_if<Load>(&step);
        unfolded += load && load->unfolded > 1;
        const auto* op = std::get_if<Op>(&step);
        EXPECT_TRUE(!op || op->walk.words() < window.taps()) << kernel;
      }
      compared += expect_as_defined(p, 2, seed) +
                  expect_as_defined(in_another_order(p, seed), 2, seed) +
                  expect_as_defined_in_little_memory(g, seed, means) +
                  expect_as_defined(lower(g, shape, 2), 1, seed);
      ASSERT_FALSE(HasFailure()) << kernel << ", " << stride << ", " << before << ", " << width;
    }
  EXPECT_GT(compared, 1000u);
  EXPECT_GE(unfolded, 14u);
}

TEST(EngineProgram, GatesAreAsDefined) {
  const std::uint64_t seed = test::rotating_seed();
  std::size_t compared = 0;
  Means means;
  const int graphs = test::long_form() ? 400 : 40;
  for (int i = 0; i < graphs; ++i) {
    const std::uint64_t n = seed * 100'000 + static_cast<std::uint64_t>(i);
    const graph::Graph g = test::RandomGraph(n).of_gates();
    compared += expect_as_defined_in_little_memory(g, n, means);
    try {
      const Program p = lower(g, small);
      compared += expect_as_defined(p, 1, n) + expect_as_defined(in_another_order(p, n), 1, n);
    } catch (const DesignError&) {  // a product that no scale gives
    }
    ASSERT_FALSE(HasFailure()) << "graph " << i;
  }
  EXPECT_GT(compared, 10'000u);
}

void expect_attention(EngineShape shape, bool normalises) {
  shape.normalises = normalises;
  const std::uint64_t seed = test::rotating_seed();
  std::size_t compared = 0, refused = 0, filled = 0;
  Means means;
  const int graphs = test::long_form() ? 400 : 40;
  for (int i = 0; i < graphs; ++i) {
    const std::uint64_t n = seed * 100'000 + static_cast<std::uint64_t>(i);
    const graph::Graph g =
        test::RandomGraph(n).of_attention(static_cast<int>(shape.rows), normalises);
    compared += expect_as_defined_in_little_memory(g, n, means, normalises);
    try {
      const Program p = lower(g, shape);
      for (const Step& step : p.steps)
        if (const auto* op = std::get_if<Op>(&step)) filled += op->fills.size();
      compared += expect_as_defined(p, 1, n) + expect_as_defined(in_another_order(p, n), 1, n);
      compared += expect_as_defined(lower(g, shape, 3), 1, n);
    } catch (const DesignError&) {  // a sum of numbers of two signs
      ++refused;
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << "graph " << i;
  }
  EXPECT_GT(compared, 10'000u);
  EXPECT_GT(filled, 100u);
  std::printf("%zu numbers, %zu tiles filled, %zu of %d graphs refused\n", compared, filled,
              refused, graphs);
}
// A mean over more tokens than a walk has taps: pieces of their line; also of a prime number.
TEST(EngineProgram, LongMeansAreAsDefined) {
  for (const int tokens : {257, 784, 1024}) {
    const graph::Graph g{
        .name = "mean",
        .tensors = {{.name = "x",
                     .shape = {6, 1, tokens},
                     .format = {8, false},
                     .zero_point = 9,
                     .scale = 0.5F},
                    {.name = "y",
                     .shape = {6, 1, 1},
                     .format = {8, false},
                     .zero_point = 120,
                     .scale = 0.25F}},
        .nodes = {{.name = "m", .op = graph::GlobalAverage{}, .inputs = {0}, .output = 1}},
        .outputs = {1}};
    graph::require_legal(g);
    const Program p = lower(g, small);
    EXPECT_GT(expect_as_defined(p, 3, 1), 0u);
    EXPECT_EQ(why_not({plan_core({.rows = 4, .columns = 2, .places = 65536, .weight_words = 2048},
                                 false)},
                      p),
              "");
  }
}

TEST(EngineProgram, AttentionIsAsDefined) { expect_attention(small, false); }
TEST(EngineProgram, TransformersAreAsDefined) { expect_attention(small, true); }

// Blocks of ResNet and MobileNet.
class Blocks {
 public:
  explicit Blocks(std::uint64_t seed) : random_(seed, "blocks") {
    g_.name = "blocks";
    last_ = g_.input = tensor({3, 12, 10});
  }
  graph::TensorId conv(graph::TensorId in, int channels, int kernel, int stride = 1,
                       bool by_channel = false) {
    const graph::Shape s = g_.tensors[in].shape;
    graph::Conv c{.groups = by_channel ? s[0] : 1, .bias = {}, .scales = {0.004F}};
    c.window.kernel = {kernel, kernel};
    c.window.stride = {stride, stride};
    c.window.before = c.window.after = {kernel / 2, kernel / 2};
    const int terms = (by_channel ? 1 : s[0]) * kernel * kernel;
    for (int i = 0; i < channels * terms; ++i)
      c.weights.push_back(static_cast<std::int16_t>(random_.below(255)) - 127);
    for (int i = 0; i < channels; ++i)
      c.bias.push_back(static_cast<std::int32_t>(random_.below(2000)) - 1000);
    const auto to = tensor({channels, c.window.positions(0, s[1]), c.window.positions(1, s[2])});
    g_.nodes.push_back({"conv" + std::to_string(to), std::move(c), {in}, to});
    return last_ = to;
  }
  void residual(int stride) {
    const graph::TensorId in = last_;
    const int channels = g_.tensors[in].shape[0];
    const graph::TensorId way = conv(conv(conv(in, 4, 1), 4, 3, stride), channels, 1);
    const graph::TensorId past = stride == 1 ? in : conv(in, channels, 1, stride);
    last_ = tensor(g_.tensors[way].shape);
    g_.nodes.push_back({"add" + std::to_string(last_), graph::Add{}, {way, past}, last_});
  }
  void enlarged(graph::TensorId in) {
    const graph::Shape s = g_.tensors[in].shape;
    last_ = tensor({s[0], 2 * s[1], 2 * s[2]});
    same_numbers(in, last_);
    g_.nodes.push_back({"resize", graph::Resize{{2, 2}}, {in}, last_});
  }
  void beside(graph::TensorId other, std::size_t axis = 0) {
    const graph::TensorId one = last_;
    graph::Shape s = g_.tensors[one].shape;
    s[axis] += g_.tensors[other].shape[axis];
    last_ = tensor(s);
    for (const graph::TensorId id : {g_.nodes.back().inputs[0], one, last_})
      same_numbers(other, id);
    g_.nodes.push_back({"concat", graph::Concat{static_cast<int>(axis)}, {one, other}, last_});
  }
  void inverted(int wide, int channels, int stride) {
    conv(last_, wide, 1);
    conv(last_, wide, 3, stride, true);
    conv(last_, channels, 1);
  }
  graph::Graph done() {
    g_.outputs = {last_};
    graph::require_legal(g_);
    return g_;
  }
  graph::TensorId last() const { return last_; }

 private:
  void same_numbers(graph::TensorId as, graph::TensorId id) {
    g_.tensors[id].zero_point = g_.tensors[as].zero_point;
  }
  graph::TensorId tensor(const graph::Shape& shape) {
    g_.tensors.push_back({"t" + std::to_string(g_.tensors.size()),
                          shape,
                          {8, false},
                          static_cast<int>(random_.below(256)),
                          0.02F});
    return g_.tensors.size() - 1;
  }
  backends::lockstep::Random random_;
  graph::Graph g_;
  graph::TensorId last_ = 0;
};

TEST(EngineProgram, BlocksAreAsDefinedInLittleMemory) {
  const std::uint64_t seed = test::rotating_seed();
  Means means;
  for (std::uint64_t i = 0; i < 10; ++i) {
    Blocks residual(seed + i), inverted(seed + i);
    residual.conv(residual.last(), 24, 3);
    for (const int stride : {1, 1, 2, 1}) residual.residual(stride);
    EXPECT_GT(expect_as_defined_in_little_memory(residual.done(), seed + i, means), 0u);
    inverted.conv(inverted.last(), 5, 3);
    inverted.inverted(21, 6, 1);
    inverted.inverted(24, 7, 2);
    EXPECT_GT(expect_as_defined_in_little_memory(inverted.done(), seed + i, means), 0u);
    ASSERT_FALSE(HasFailure()) << i;
  }
  for (std::uint64_t i = 0; i < 10; ++i) {
    Blocks joined(seed + i);
    const graph::TensorId past = joined.conv(joined.last(), 8, 3);
    joined.enlarged(joined.conv(past, 8, 3, 2));
    joined.beside(past);
    joined.conv(joined.conv(joined.last(), 6, 3), 4, 3);
    EXPECT_GT(expect_as_defined_in_little_memory(joined.done(), seed + i, means), 0u);
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(means.together, 0u);
  EXPECT_GT(means.strips, 0u);
  EXPECT_GT(means.in_place, 0u);
  EXPECT_GT(means.behind, 0u);
  EXPECT_GT(means.beside, 0u);
  EXPECT_GT(means.by_block, 0u);
  EXPECT_EQ(means.in_phases, 0u) << "the netlist reads no second number in phases";
}

// Lines behind lines and columns behind columns, read with and without a stride.
TEST(EngineProgram, LinesAndColumnsAreJoinedAsDefined) {
  const std::uint64_t seed = test::rotating_seed();
  for (std::uint64_t i = 0; i < 8; ++i) {
    Blocks joined(seed + i);
    const std::size_t axis = 1 + i % 2;
    const graph::TensorId past = joined.conv(joined.last(), 7, 3);
    joined.conv(past, 7, 3);
    joined.beside(past, axis);
    joined.conv(joined.last(), 5, 3, 1 + static_cast<int>(i / 2 % 2));
    EXPECT_GT(expect_as_defined(lower(joined.done(), small), 2, seed + i), 0u);
    ASSERT_FALSE(HasFailure()) << i;
  }
}

// Every node alone behind an input.
graph::Graph alone(graph::Operator op, const graph::Shape& in, const graph::Shape& out,
                   bool is_signed) {
  graph::Graph g;
  g.name = "alone";
  g.tensors = {{"x", in, {8, is_signed}, 3, 0.02F}, {"y", out, {8, is_signed}, 3, 0.02F}};
  g.nodes = {{"node", std::move(op), {0}, 1}};
  g.outputs = {1};
  graph::require_legal(g);
  return g;
}

// An input that is read beside the blocks of a depthwise layer comes before the first of them.
TEST(EngineProgram, ABlockIsAddedToAnInput) {
  constexpr int channels = 32;
  std::string text = "graph beside\n";
  for (const auto& [name, count] : {std::pair{"x", 4}, {"w", 4}, {"y", 32}, {"m", 32}, {"d", 32}})
    text += fmt::format("tensor {} u8 {}x8x8 scale 0x1p-3 zero 3\n", name, count);
  text +=
      "tensor s u8 32x8x8 scale 0x1p-2 zero 3\ntensor t u8 32x8x8 scale 0x1p-2 zero 3\n"
      "input x\ninput y\noutput t\n";
  const auto conv = [&](const std::string& head, int count, const char* weights) {
    text += head + "\n  scales 0x1p-5\n  bias";
    for (int i = 0; i < count; ++i) text += " 1";
    for (int i = 0; i < count; ++i) text += std::string("\n  weights ") + weights;
    text += "\n";
  };
  conv("conv first x -> w kernel 1x1", 4, "1 2 3 4");
  conv("conv wider w -> m kernel 1x1", channels, "1 2 -3 4");
  conv("conv filter m -> d kernel 3x3 before 1x1 after 1x1 groups 32", channels,
       "1 2 1 2 4 2 1 2 1");
  text += "add sum d y -> s\nadd again s y -> t\n";
  const graph::Graph g = graph::parse_graph("beside.graph", text);
  EngineShape shape{.rows = 8, .columns = 4, .places = 1024};
  const std::int64_t all = lower(g, shape).places;
  shape.places = all - 4;
  const Program p = lower(g, shape);
  EXPECT_LE(p.places, shape.places);
  Means means;
  count(p, means);
  EXPECT_GT(means.by_block, 0u);
  EXPECT_GT(expect_as_defined(p, 2, 1), 0u);
  EXPECT_GT(expect_as_defined(in_another_order(p, 1), 2, 1), 0u);
}

TEST(EngineProgram, NumbersMoveAsDefined) {
  struct Case {
    graph::Operator op;
    graph::Shape in, out;
  };
  const std::vector<Case> cases{
      // A shuffle of channels, DepthToSpace and SpaceToDepth.
      {graph::Transpose{.order = {1, 0, 2, 3}, .view = {2, 5, 3, 7}}, {10, 3, 7}, {10, 3, 7}},
      {graph::Transpose{.order = {0, 3, 1, 4, 2}, .view = {3, 2, 2, 4, 5}}, {12, 4, 5}, {3, 8, 10}},
      {graph::Transpose{.order = {0, 2, 4, 1, 3}, .view = {3, 4, 2, 5, 2}}, {3, 8, 10}, {12, 4, 5}},
      // Channels 3 to 7, every second line from 1 on, columns from 2 on.
      {graph::Pick{.runs = {0, 3, 1, 5, 1, 1, 2, 3, 2, 2, 1, 4}}, {9, 6, 6}, {5, 3, 4}},
      // Channels in another order and twice.
      {graph::Pick{.runs = {0, 6, -2, 3, 0, 6, -2, 3}}, {7, 4, 3}, {6, 4, 3}},
      // Constants around, and channels of nothing else.
      {graph::Pick{.fill = 3, .runs = {1, -1, 0, 1, 1, 0, 1, 4, 2, 0, 1, 5, 2, -1, 0, 2}},
       {5, 4, 5},
       {5, 5, 7}},
      {graph::Pick{.fill = 3, .runs = {0, 0, 1, 3, 0, -1, 0, 2}}, {3, 4, 5}, {5, 4, 5}}};
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const bool is_signed : {false, true}) {
      const Program p = lower(alone(cases[i].op, cases[i].in, cases[i].out, is_signed), small);
      EXPECT_GT(expect_as_defined(p, 3, i), 0u);
      EXPECT_FALSE(HasFailure()) << "case " << i;
    }
}

// Every byte, steps that fall, results that never occur, a channel with one result.
TEST(EngineProgram, ThresholdsAreAsDefinedForEveryByte) {
  for (const bool is_signed : {false, true}) {
    const int less = is_signed ? 128 : 0, channels = 5;
    graph::Thresholds t{
        .lowest = 20 - less, .levels = 200, .begins = {}, .falling = {0, 1, 0, 1, 0}};
    for (int c = 0; c < channels; ++c)
      for (int level = 0; level < t.levels; ++level)
        t.begins.push_back(c == 4 ? 1000 : static_cast<int>((0.3 + 0.7 * c) * level) - less + c);
    graph::Graph g = alone(t, {channels, 16, 16}, {channels, 16, 16}, is_signed);
    const Program p = lower(g, small);
    std::vector<std::int32_t> image;
    for (int i = 0; i < channels * 256; ++i) image.push_back(i % 256 - less);
    graph::Interpreter::Memory memory;
    graph::Interpreter(*p.graph).run(image, memory);
    EXPECT_EQ(run(p, image).at(0), memory[g.outputs[0]]);
  }
}

// Normalised channels: results of lines. No byte times the number, plus an integer, gives those of
// the first one, whose slope is 68 / 77: it takes two words. The zero point is 3.
TEST(EngineProgram, LinesOfEveryByteAreAsDefined) {
  backends::lockstep::Random random(test::rotating_seed(), "lines");
  const int channels = 60;
  graph::Thresholds t{.lowest = -100, .levels = 204, .begins = {}, .falling = {}};
  for (int c = 0; c < channels; ++c) {
    const double slope = c == 0 ? 0.88311791 : 0.5 + 0.001 * random.below(1000),
                 addend = c == 0 ? 11.0073 : 0.01 * random.below(6000) - 30;
    for (int level = 1; level <= t.levels; ++level)
      t.begins.push_back(static_cast<int>(std::ceil((t.lowest + level - 3.5) / slope - addend)));
  }
  const graph::Graph g = alone(t, {channels, 16, 16}, {channels, 16, 16}, true);
  const Program p = lower(g, small);
  std::int64_t words = 0;
  for (const Step& step : p.steps)
    if (const auto* op = std::get_if<Op>(&step)) words = std::max(words, op->walk.words());
  EXPECT_EQ(words, 2);
  std::vector<std::int32_t> image;
  for (int i = 0; i < channels * 256; ++i) image.push_back(i % 256 - 128);
  graph::Interpreter::Memory memory;
  graph::Interpreter(*p.graph).run(image, memory);
  EXPECT_EQ(run(p, image).at(0), memory[g.outputs[0]]);
}

// All nodes without a unit at once; maps that do not fit.
TEST(EngineMessages, EachHasItsCode) {
  // Three of them; none is at an end.
  const graph::MaxPool pool{{.kernel = {1, 1}}};
  const graph::Transpose turn{.order = {1, 0, 2}};
  graph::Graph transposed = alone(pool, {2, 3, 4}, {2, 3, 4}, true);
  for (int i = 0; i < 6; ++i) {
    graph::Tensor t = transposed.tensors[0];
    t.name = "z" + std::to_string(i);
    t.shape = (i + 2) / 2 % 2 == 0 ? graph::Shape{2, 3, 4} : graph::Shape{3, 2, 4};
    transposed.tensors.push_back(t);
    transposed.nodes.push_back({i == 0 ? "node" : t.name,
                                i % 2 == 0 ? graph::Operator(turn) : graph::Operator(pool),
                                {transposed.nodes.back().output},
                                transposed.tensors.size() - 1});
  }
  transposed.outputs = {transposed.tensors.size() - 1};
  Blocks blocks(1);
  blocks.conv(blocks.last(), 24, 3);
  EngineShape tiny = small;
  tiny.places = 16;
  test::expect_messages(
      "messages/engine.txt",
      {{code::no_unit, [&] { (void)lower(transposed, small); }},
       {code::engine_too_small, [&] { (void)lower(blocks.done(), tiny); }},
       {code::no_core, [] { (void)plan_core({.rows = 64, .columns = 2}, false); }}});
}

}  // namespace kumiki::gen::engine::lower_test
