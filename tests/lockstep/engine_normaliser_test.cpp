// SPDX-License-Identifier: Apache-2.0
// The normaliser of an engine: its netlist and its model, in every clock, and their results against
// the definition of softmax and layer normalisation in integers.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>

#include "gen/graph/graph.h"
#include "gen/graph/interpret.h"
#include "gen/layers/engine/hardware/encode.h"
#include "gen/layers/engine/normal.h"
#include "tests/support/beside_model.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::normaliser_test {

using graph::Tensor;

class Rig : public test::BesideModel<NormaliserPlan, NormaliserIn, NormaliserOut, NormaliserModel> {
 public:
  explicit Rig(const NormaliserPlan& plan) : BesideModel(plan, build_normaliser) {}
};

NormaliserIn<Values> quiet(const NormaliserPlan& p) {
  NormaliserIn<Values> in{};
  in.word.assign(static_cast<std::size_t>(p.lanes * p.parts), 0);
  return in;
}

// A node of one map, and its numbers.
struct Case {
  graph::Graph g;
  graph::Numbers numbers;
  Normalise step;
  std::int64_t places = 0;
};

Case made(graph::Operator op, int size, int pixels, std::mt19937_64& random, std::int64_t rows) {
  const bool is_signed = random() % 2 == 0, is_softmax = std::holds_alternative<graph::Softmax>(op);
  std::uniform_real_distribution<float> one(0, 1);
  Case c;
  Tensor in{.name = "x",
            .shape = {size, 1, pixels},
            .format = {8, is_signed},
            .zero_point = 3,
            .scale = std::exp2(-7 * one(random))},
      out = in;
  out.name = "y";
  out.scale = is_softmax ? std::exp2(-8 * one(random)) : 0.02F + 0.05F * one(random);
  out.zero_point = static_cast<int>(random() % 100) - (is_signed ? 60 : 0);
  c.g = {.name = "one",
         .tensors = {in, out},
         .nodes = {{.name = "n", .op = std::move(op), .inputs = {0}, .output = 1}},
         .outputs = {1}};
  EXPECT_TRUE(check(c.g).empty()) << size;
  const auto lo = static_cast<std::int32_t>(in.format.range().lo);
  for (int i = 0; i < size * pixels; ++i) {
    const int spread = 1 << (i % pixels % 9);  // 1: all are equal
    c.numbers.push_back(lo + static_cast<std::int32_t>(random() % 256) / spread);
  }
  c.step = {.pixels = pixels, .channels = size, .integers = normal_of(c.g, c.g.nodes[0])};
  c.step.from_step = c.step.to_step = pixels;
  c.places = pixels * ceil_div(size, rows);
  return c;
}

graph::LayerNorm norm(int size, std::mt19937_64& random) {
  std::normal_distribution<float> values(0, 1);
  graph::LayerNorm op{.epsilon = 1e-5F, .factors = {}, .biases = {}, .integers = 1};
  for (int i = 0; i < size; ++i) {
    op.factors.push_back(0.6F + 0.3F * values(random));
    op.biases.push_back(0.3F * values(random));
  }
  return op;
}

// One clock for each call: the banks with words on their way, and whether movers have them.
class Banks {
 public:
  Banks(const NormaliserPlan& plan, std::int64_t places)
      : plan_(plan), bytes_(static_cast<std::size_t>(places * plan.lanes * plan.parts)) {}
  std::uint8_t& at(std::int64_t place, std::int64_t channel) {
    return bytes_[static_cast<std::size_t>(place * plan_.lanes * plan_.parts + channel)];
  }
  void before(NormaliserIn<Values>& in, bool reads, bool writes) {
    in.may_ask = reads && on_way_.size() < 16;
    in.may_write = writes;
    in.word_valid = !on_way_.empty() && on_way_.front().there <= clock_;
    if (in.word_valid)
      for (std::size_t c = 0; c < in.word.size(); ++c)
        in.word[c] = at(on_way_.front().place, static_cast<std::int64_t>(c));
  }
  void after(const NormaliserIn<Values>& in, const NormaliserOut<Values>& out) {
    constexpr std::int64_t clocks = 6;
    if (out.takes) on_way_.pop_front();
    if (out.asks && in.may_ask)
      on_way_.push_back({static_cast<std::int64_t>(out.ask_place), clock_ + clocks});
    ++clock_;
    if (!out.writes) return;
    for (std::int64_t part = 0; part < plan_.parts; ++part)
      if (out.write_parts >> part & 1)
        for (std::int64_t lane = 0; lane < plan_.lanes; ++lane)
          at(static_cast<std::int64_t>(out.write_place), part * plan_.lanes + lane) =
              static_cast<std::uint8_t>(out.data[static_cast<std::size_t>(lane)]);
  }

 private:
  NormaliserPlan plan_;
  std::vector<std::uint8_t> bytes_;
  struct Asked {
    std::int64_t place = 0, there = 0;
  };
  std::deque<Asked> on_way_;
  std::int64_t clock_ = 0;
};

// Plays a case from the places 0 on to those behind it; stops after `most` clocks.
void play(Rig& rig, Case c, std::mt19937_64& random, unsigned one_in, std::int64_t most = 100'000) {
  const NormaliserPlan& p = rig.plan();
  const auto coin = [&] { return one_in == 0 || random() % one_in != 0; };
  c.step.to = c.places;
  const EncodedNormalise e = encode(p, c.step);
  Banks banks(p, 2 * c.places);
  const Tensor &x = c.g.tensors[0], &y = c.g.tensors[1];
  const std::int64_t rows = p.lanes * p.parts, pixels = c.step.pixels;
  for (std::int64_t i = 0; i < std::ssize(c.numbers); ++i)
    banks.at(i / pixels / rows * pixels + i % pixels, i / pixels % rows) =
        static_cast<std::uint8_t>(c.numbers[static_cast<std::size_t>(i)] - stored_less(x));

  NormaliserIn<Values> idle = e.registers;
  idle.word = quiet(p).word;
  const auto clock = [&](NormaliserIn<Values> in) {
    banks.before(in, coin(), coin());
    const NormaliserOut<Values> out = rig.step(in);
    banks.after(in, out);
    return out;
  };
  clock(idle);
  NormaliserIn<Values> in = idle;
  in.e_restarts = true;
  clock(in);
  for (std::size_t i = 0; i < e.entries.size(); ++i) {
    in = idle;
    in.e_write = true;
    in.e_data = e.entries[i];
    EXPECT_EQ(clock(in).e_ends, i + 1 == e.entries.size());
  }
  in = idle;
  in.start = true;
  clock(in);
  std::int64_t clocks = 0;
  while (clocks < most && !::testing::Test::HasFailure() && clock(idle).busy) ++clocks;
  EXPECT_LT(clocks, 100'000) << "the normaliser stops";
  if (clocks == most || ::testing::Test::HasFailure()) return;

  graph::Interpreter::Memory memory(2);
  memory[0] = c.numbers;
  graph::Interpreter(c.g).run_node(0, memory);
  for (std::int64_t i = 0; i < std::ssize(c.numbers); ++i)
    ASSERT_EQ(static_cast<std::int8_t>(
                  banks.at(c.places + i / pixels / rows * pixels + i % pixels, i / pixels % rows)) +
                  stored_less(y),
              memory[1][static_cast<std::size_t>(i)])
        << "channel " << i / pixels << ", pixel " << i % pixels << " of " << c.step.channels
        << " x " << pixels;
}

void reset(Rig& rig) {
  NormaliserIn<Values> in = quiet(rig.plan());
  in.rst = true;
  rig.step(in);
}

void play_all(const NormaliserPlan& plan, unsigned one_in) {
  Rig rig(plan);
  std::mt19937_64 random(test::rotating_seed());
  reset(rig);
  const auto rows = static_cast<int>(plan.lanes * plan.parts);
  for (const int size : {1, 2, static_cast<int>(plan.lanes), rows - 1, rows, rows + 1, 3 * rows + 5,
                         197, test::long_form() ? 1024 : 8 * rows}) {
    const int pixels = 1 + static_cast<int>(random() % 12);
    play(rig, made(graph::Softmax{.integers = 1}, size, pixels, random, rows), random, one_in);
    const int of_norm = std::min(1024, (size + 7) / 8 * 8);
    play(rig, made(norm(of_norm, random), of_norm, pixels, random, rows), random, one_in);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(EngineNormaliser, OfTwoParts) { play_all({.lanes = 8, .parts = 2, .place_bits = 14}, 0); }
TEST(EngineNormaliser, ThatStalls) { play_all({.lanes = 8, .parts = 2, .place_bits = 14}, 3); }
TEST(EngineNormaliser, OfWholeWords) { play_all({.lanes = 4, .parts = 1, .place_bits = 14}, 0); }
TEST(EngineNormaliser, OfOtherShapes) {
  play_all({.lanes = 2, .parts = 4, .place_bits = 14}, 3);
  play_all({.lanes = 6, .parts = 2, .place_bits = 14}, 0);
  play_all({.lanes = 16, .parts = 2, .place_bits = 14}, 0);
}

// As many results as there is room for, while nothing may be written.
TEST(EngineNormaliser, ResetsInTheMiddle) {
  Rig rig({.lanes = 8, .parts = 2, .place_bits = 14});
  std::mt19937_64 random(test::rotating_seed());
  reset(rig);
  for (int turn = 0; turn < 12; ++turn) {
    if (turn % 2 == 0)
      play(rig, made(graph::Softmax{.integers = 1}, 70, 9, random, 16), random, 2,
           static_cast<std::int64_t>(random() % 200));
    else
      play(rig, made(norm(72, random), 72, 9, random, 16), random, 2,
           static_cast<std::int64_t>(random() % 200));
    reset(rig);
    play(rig, made(graph::Softmax{.integers = 1}, 33, 5, random, 16), random, 0);
    play(rig, made(norm(40, random), 40, 5, random, 16), random, 0);
  }
}

}  // namespace kumiki::gen::engine::normaliser_test
