// SPDX-License-Identifier: Apache-2.0
// The netlist of a lane against the float rule: sums where results begin, at every tie, and half of
// a float's last bit beside one; any other sums; a pipeline that stands still. Arbitrary words of
// parameters against the integer form of the rule.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <deque>
#include <random>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/arith/float_factor.h"
#include "gen/arith/format.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "ir/check.h"
#include "tests/support/cache.h"
#include "tests/support/seed.h"

namespace kumiki {
namespace float_lane_test {

using gen::arith::FloatFactor;
using gen::arith::FloatRule;
using gen::requant::FloatLaneIn;
using gen::requant::FloatLaneOut;
using gen::requant::FloatLanePlan;

constexpr std::int64_t exact = 1 << 24;

// What a lane is given with one word, and what has to leave it.
struct Word {
  std::int64_t sum = 0, bias = 0;
  FloatFactor factor;
  std::int64_t zero = 0, low = -128, high = 127;
  std::int64_t wanted = 0;
};

Word of_rule(const FloatRule& rule, std::int64_t biased, std::int64_t bias) {
  return {biased - bias,
          bias,
          gen::arith::float_factor(rule.scale),
          rule.zero_point,
          static_cast<std::int64_t>(rule.range.lo),
          static_cast<std::int64_t>(rule.range.hi),
          gen::arith::requantised(rule, static_cast<std::int32_t>(biased))};
}

class Lane {
 public:
  explicit Lane(int data_bits = 8, ir::Family family = ir::Family::ultrascale_plus)
      : plan_{data_bits, family == ir::Family::series7}, builder_(family) {
    const auto bits = static_cast<std::uint32_t>(data_bits);
    in_.sum = gen::UInt::shape(32);
    in_.parameter = gen::UInt::shape(62);
    in_.zero = in_.low = in_.high = gen::UInt::shape(bits);
    out_.q = gen::UInt::shape(bits);
    gen::build_top(builder_, gen::requant::build_float_lane, plan_, in_);
    const auto problems = ir::check(builder_.design());
    for (const auto& problem : problems) ADD_FAILURE() << problem.message;
  }
  const ir::Design& design() const { return builder_.design(); }

  // All words one after the other; now and then the pipeline stands still.
  void run(ir::Machine& machine, const std::vector<Word>& words, std::uint64_t seed) {
    machine.power_up();
    std::mt19937_64 random(seed);
    std::deque<Word> under_way(static_cast<std::size_t>(plan_.latency()));
    FloatLaneIn<gen::Values> in{};
    FloatLaneOut<gen::Values> out{};
    ir::Frame in_frame, out_frame;
    std::size_t given = 0, seen = 0;
    const std::size_t empty = under_way.size();
    while (seen < words.size() + empty) {
      in.en = random() % 16 != 0;
      const Word now = given < words.size() ? words[given] : Word{};
      const auto raw = [](std::int64_t v, int bits) { return gen::arith::raw_of(v, bits); };
      in.sum = raw(now.sum, 32);
      in.parameter = static_cast<std::uint64_t>(now.factor.steps) << 58 |
                     std::uint64_t{now.factor.factor} << 32 | raw(now.bias, 32);
      // The word that leaves with this clock has been under way for all clocks but one, and the one
      // behind it gets its zero point.
      const Word& leaves = under_way[1];
      in.zero = raw(under_way[2].zero, plan_.data_bits);
      in.low = raw(leaves.low, plan_.data_bits);
      in.high = raw(leaves.high, plan_.data_bits);
      gen::pack(in_, in, in_frame);
      machine.step(in_frame, out_frame);
      gen::unpack(out_, out_frame, out);
      if (seen >= empty) {
        const Word& word = under_way.front();
        const auto q = gen::arith::value_of(out.q, {plan_.data_bits, true});
        ASSERT_EQ(q, word.wanted) << word.sum << " + " << word.bias << " times "
                                  << word.factor.factor << " / 2^" << word.factor.shift() << " + "
                                  << word.zero << " in " << word.low << " to " << word.high;
      }
      if (!in.en) continue;
      under_way.pop_front();
      under_way.push_back(now);
      ++given;
      ++seen;
    }
  }

 private:
  FloatLanePlan plan_;
  gen::Builder builder_;
  FloatLaneIn<gen::Hardware> in_;
  FloatLaneOut<gen::Hardware> out_;
};

std::int64_t number(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

FloatRule any_rule(std::mt19937_64& random, int data_bits = 8) {
  const std::int64_t most = (1 << (data_bits - 1)) - 1;
  const float fraction = 1 + std::ldexp(static_cast<float>(random() & 0x7FFFFF), -23);
  FloatRule rule{.scale = std::ldexp(fraction, static_cast<int>(number(random, -26, 9)))};
  if (random() % 4 == 0) rule.scale = std::ldexp(1.0F, static_cast<int>(number(random, -26, 9)));
  rule.zero_point =
      random() % 4 == 0 ? (random() % 2 == 0 ? -most - 1 : most) : number(random, -most - 1, most);
  rule.range = {-most - 1, most};
  if (random() % 3 == 0) rule.range.lo = rule.zero_point;  // ReLU
  if (random() % 5 == 0) rule.range.hi = number(random, rule.zero_point, most);
  return rule;
}

// Around every sum where the result changes and around every tie.
void add_corners(std::vector<Word>& words, const FloatRule& rule, std::mt19937_64& random) {
  std::vector<std::int64_t> sums{-exact, exact, 0};
  for (const std::int64_t begin : steps_of(rule, {-exact, exact}).begins) sums.push_back(begin);
  for (int k = 0; k < 256; ++k)
    for (const int sign : {-1, 1})
      sums.push_back(sign *
                     std::llround(std::min(1e9, (k + 0.5) / static_cast<double>(rule.scale))));
  for (const std::int64_t middle : sums)
    for (std::int64_t v = middle - 1; v <= middle + 1; ++v)
      if (v >= -exact && v <= exact)
        words.push_back(of_rule(rule, v, number(random, -(1 << 30), 1 << 30)));
}

// (k + 1/2) 2^n +- 1 as a sum times a mantissa: half of a float's last bit from a tie, twice and
// half of that.
std::vector<Word> edges() {
  std::vector<Word> words;
  for (int k = 0; k < 256; ++k) {
    const int top = k == 0 ? -1 : std::bit_width(static_cast<unsigned>(k)) - 1;
    for (const int below : {23, 24, 25, 26, 27})
      for (const int way : {-1, 1}) {
        const auto product = static_cast<std::int64_t>(std::ldexp(k + 0.5, below - top)) + way;
        for (std::int64_t sum = 1; sum <= 1200; ++sum) {
          if (product % sum != 0) continue;
          std::int64_t factor = product / sum;
          int exponent = top - below;
          for (; factor >= exact && factor % 2 == 0; factor /= 2) ++exponent;
          if (factor >= exact) continue;
          const float scale = std::ldexp(static_cast<float>(factor), exponent);
          for (const int sign : {-1, 1})
            for (const std::int64_t zero : {0, -128, 127})
              words.push_back(of_rule({.scale = scale, .zero_point = zero}, sign * sum, 0));
        }
      }
  }
  return words;
}

std::vector<Word> corners(std::size_t rules, std::mt19937_64& random, int data_bits = 8) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < rules; ++i) add_corners(words, any_rule(random, data_bits), random);
  return words;
}

// Slices of the 7 series have a shorter port A.
constexpr ir::Family families[] = {ir::Family::ultrascale_plus, ir::Family::series7};

void expect_right(const std::vector<Word>& words, std::uint64_t seed, int data_bits = 8) {
  for (const ir::Family family : families) {
    Lane lane(data_bits, family);
    backends::NativeMachine machine(lane.design());
    lane.run(machine, words, seed);
  }
}

TEST(FloatLane, IsTheRuleAtItsCorners) {
  std::mt19937_64 random(test::rotating_seed());
  expect_right(corners(150, random), 1);
}

TEST(FloatLane, IsTheRuleHalfOfALastBitFromATie) {
  const auto words = edges();
  EXPECT_GT(words.size(), 5000u);
  expect_right(words, 2);
}

TEST(FloatLane, IsTheRuleAnywhere) {
  std::mt19937_64 random(test::rotating_seed() + 1);
  std::vector<Word> words;
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t v = number(random, -exact, exact) >> random() % 25;
    words.push_back(of_rule(any_rule(random), v, number(random, -(1 << 30), 1 << 30)));
  }
  expect_right(words, 3);
}

TEST(FloatLane, OfFewerBits) {
  std::mt19937_64 random(test::rotating_seed() + 2);
  for (const int bits : {2, 4, 7}) expect_right(corners(20, random, bits), 4, bits);
}

// Whatever the words of parameters are: factors that no float has, all sums of 32 bits.
TEST(FloatLane, IsItsIntegerFormForEveryParameter) {
  std::mt19937_64 random(test::rotating_seed() + 3);
  std::vector<Word> words;
  for (int i = 0; i < 200'000; ++i) {
    Word w;
    const std::int64_t biased =
        number(random, -(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1);
    w.bias = number(random, -(1 << 30), 1 << 30);
    w.factor = {static_cast<std::uint32_t>(random() & 0x3FFFFFF) >> random() % 26,
                static_cast<int>(random() % 16)};
    w.zero = number(random, -128, 127);
    w.low = number(random, -128, 127);
    w.high = number(random, w.low, 127);
    const std::int64_t v = biased >> random() % 32;
    w.sum = v - w.bias;
    w.wanted = gen::arith::requantised(w.factor, w.zero, {w.low, w.high}, v);
    words.push_back(w);
  }
  // The largest product, and the smallest.
  for (const std::int64_t v : {(std::int64_t{1} << 31) - 1, -(std::int64_t{1} << 31)})
    for (int steps = 0; steps < 16; ++steps) {
      Word w{.sum = v, .factor = {(1U << 26) - 1, steps}};
      w.wanted = gen::arith::requantised(w.factor, 0, {-128, 127}, v);
      words.push_back(w);
    }
  Lane lane;
  backends::NativeMachine machine(lane.design());
  lane.run(machine, words, 5);
  // The shorter port does not read what lies below a float32.
  for (Word& w : words) {
    w.factor.factor = gen::arith::of_a_float32(w.factor.factor);
    w.wanted = gen::arith::requantised(w.factor, w.zero, {w.low, w.high}, w.sum + w.bias);
  }
  Lane narrow(8, ir::Family::series7);
  backends::NativeMachine narrow_machine(narrow.design());
  narrow.run(narrow_machine, words, 5);
}

TEST(FloatLane, OnVerilator) {
  std::mt19937_64 random(test::rotating_seed() + 4);
  Lane lane;
  backends::VerilatedMachine machine(lane.design(), {.cache = backends::Cache(test::shared_cache)});
  auto words = corners(10, random);
  const auto near = edges();
  words.insert(words.end(), near.begin(), near.end());
  lane.run(machine, words, 6);
}

}  // namespace float_lane_test
}  // namespace kumiki
