// SPDX-License-Identifier: Apache-2.0
// The core of the engine: operations of random networks on the netlist and on its model, in every
// clock, and against the definition of operations.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "gen/layers/engine/hardware/core_model.h"
#include "gen/layers/engine/hardware/encode.h"
#include "gen/layers/engine/lower.h"
#include "ir/error.h"
#include "tests/support/beside_model.h"
#include "tests/support/engine_run.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::core_test {

class CoreRig : public test::BesideModel<CorePlan, CoreIn, CoreOut, CoreModel> {
 public:
  explicit CoreRig(const CorePlan& plan) : BesideModel(plan, build_core) {}
};

// Weights and parameters that wait for the core.
class Streams {
 public:
  explicit Streams(std::uint64_t seed) : random_(seed) {}
  void add(const Encoded& e) {
    for (const auto& row : e.weights) weights_.push_back({row, e.registers.depthwise});
    for (const auto& tile : e.parameters)
      for (std::size_t lane = 0; lane < tile.size(); ++lane)
        parameters_.push_back({tile[lane], lane + 1 == tile.size()});
  }
  // Offers what is next, or now and then nothing.
  void offer(CoreIn<Values>& in) {
    if ((in.w_valid = !weights_.empty() && coin())) {
      in.w_data = weights_.front().row;
      in.w_depthwise = weights_.front().is_depthwise;
    }
    if ((in.p_valid = !parameters_.empty() && coin())) {
      in.p_data = parameters_.front().word;
      in.p_last = parameters_.front().is_last;
    }
  }
  void saw(const CoreIn<Values>& in, const CoreOut<Values>& out) {
    if (in.w_valid && out.w_ready) weights_.pop_front();
    if (in.p_valid && out.p_ready) parameters_.pop_front();
  }
  bool empty() const { return weights_.empty() && parameters_.empty(); }
  unsigned one_in = 0;  // clocks without an offer; 0: never

 private:
  bool coin() { return one_in == 0 || random_() % one_in != 0; }
  std::mt19937_64 random_;
  struct Row {
    std::vector<std::uint64_t> row;
    bool is_depthwise;
  };
  struct OfLane {
    std::uint64_t word;
    bool is_last;
  };
  std::deque<Row> weights_;
  std::deque<OfLane> parameters_;
};

class Player {
 public:
  Player(CoreRig& rig, std::uint64_t seed) : rig_(rig), streams_(seed) {
    idle_ = quiet(rig.plan());
  }

  void stall(unsigned one_in) { streams_.one_in = one_in; }
  void reset() {
    CoreIn<Values> in = idle_;
    in.rst = true;
    clock(in);
  }
  void write(std::int64_t place, std::span<const std::int8_t> word) {
    CoreIn<Values> in = idle_;
    in.m_write = true;
    in.m_to = static_cast<std::uint64_t>(place);
    in.m_parts = (std::uint64_t{1} << rig_.plan().parts()) - 1;
    for (std::size_t c = 0; c < word.size(); ++c) in.m_data[c] = static_cast<std::uint8_t>(word[c]);
    clock(in);
  }
  std::vector<std::int8_t> read(std::int64_t place) {
    CoreIn<Values> in = idle_;
    in.m_read = true;
    in.m_from = static_cast<std::uint64_t>(place);
    clock(in);
    for (;;) {
      const CoreOut<Values> out = clock(idle_);
      if (!out.m_valid) continue;
      std::vector<std::int8_t> word;
      for (const std::uint64_t c : out.m_word) word.push_back(static_cast<std::int8_t>(c));
      return word;
    }
  }
  // Returns the clocks from the start to the end.
  std::int64_t run(const Encoded& e) {
    for (std::size_t t = 0; t < e.taps.size(); ++t) {
      CoreIn<Values> in = idle_;
      in.tap_write = true;
      in.tap_number = t;
      in.tap_offset = e.taps[t].offset;
      in.tap_bounds = e.taps[t].bounds;
      clock(in);
    }
    for (std::size_t i = 0; i < e.table.size(); ++i) {
      CoreIn<Values> in = idle_;
      in.table_write = true;
      in.table_number = i;
      in.table_entry = e.table[i];
      clock(in);
    }
    streams_.add(e);
    idle_ = e.registers;
    clock(idle_);
    CoreIn<Values> in = idle_;
    in.start = true;
    clock(in);
    std::int64_t clocks = 1;
    for (; clock(idle_).busy; ++clocks)
      if (::testing::Test::HasFailure() || clocks > 200'000) {
        ADD_FAILURE() << "the core does not end";
        return clocks;
      }
    EXPECT_TRUE(streams_.empty());
    return clocks;
  }

 private:
  CoreOut<Values> clock(CoreIn<Values> in) {
    streams_.offer(in);
    const CoreOut<Values> out = rig_.step(in);
    streams_.saw(in, out);
    return out;
  }
  CoreRig& rig_;
  Streams streams_;
  CoreIn<Values> idle_;
};

// Runs the operations of a program that the core has, each on the maps as the definition has them
// then. Returns how many there were. Words that are filled from maps come from the stream's side,
// which is not here.
std::size_t expect_operations(CoreRig& rig, Player& player, const Program& p,
                              std::span<const std::int32_t> image) {
  std::size_t count = 0;
  std::optional<Machine> before;
  run(p, image, [&](std::size_t step, const Machine& after) {
    const auto* op = std::get_if<Op>(&p.steps[step]);
    if (op && op->fills.empty() && why_not(rig.plan(), *op).empty() &&
        !::testing::Test::HasFailure()) {
      for (std::int64_t place = 0; place < p.places; ++place)
        player.write(place, before->word(place));
      player.run(encode(rig.plan(), *op));
      Machine wanted = after;
      for (std::int64_t y = 0; y < op->walk.height; ++y)
        for (std::int64_t x = 0; x < op->walk.width; ++x)
          for (std::int64_t c = op->first_channel; c < op->first_channel + op->channels; ++c) {
            if (c % rig.plan().shape.rows != 0 && c != op->first_channel) continue;
            const std::int64_t block = c / rig.plan().shape.rows,
                               place = op->target.at(block, y, x);
            const auto given = player.read(place);
            const auto word = wanted.word(place);
            const std::int64_t end =
                std::min(rig.plan().shape.rows,
                         op->first_channel + op->channels - block * rig.plan().shape.rows);
            for (std::int64_t i = c % rig.plan().shape.rows; i < end; ++i)
              EXPECT_EQ(int{given[static_cast<std::size_t>(i)]},
                        int{word[static_cast<std::size_t>(i)]})
                  << "step " << step << ", place " << place << ", channel " << i;
          }
      if (::testing::Test::HasFailure())
        ADD_FAILURE() << "step " << step << ": unit " << static_cast<int>(op->unit) << ", "
                      << op->walk.height << " x " << op->walk.width << ", pitch " << op->walk.pitch
                      << ", " << op->walk.words() << " words, " << op->tiles << " tiles, channels "
                      << op->first_channel << " + " << op->channels;
      ++count;
    }
    before = after;
  });
  return count;
}

void expect_random(const EngineShape& shape, bool is_double, std::size_t wanted, unsigned one_in) {
  const std::uint64_t seed = test::rotating_seed();
  CoreRig rig(plan_core(shape, is_double));
  std::printf("%s, %lld slices\n", packing::to_string(rig.plan().chain.scheme).c_str(),
              static_cast<long long>(rig.plan().slices()));
  Player player(rig, seed);
  player.stall(one_in);
  player.reset();
  std::size_t done = 0;
  for (std::uint64_t i = 0; done < wanted && i < 1000; ++i) {
    const graph::Graph g = test::RandomGraph(seed * 1000 + i).made();
    std::optional<Program> p;
    try {
      p = lower(g, shape);
    } catch (const DesignError&) {
      continue;
    }
    done += expect_operations(rig, player, *p, test::random_images(*p->graph, 1, seed + i));
    ASSERT_FALSE(::testing::Test::HasFailure()) << "graph " << i;
  }
  EXPECT_GE(done, wanted);
  std::printf("%zu operations, %lld clocks\n", done, static_cast<long long>(rig.clocks()));
}

constexpr EngineShape small{.rows = 16, .columns = 4, .places = 4096, .weight_words = 64};

TEST(EngineCore, OperationsOfRandomNetworks) { expect_random(small, false, 20, 0); }
TEST(EngineCore, WeightsAndParametersThatStall) { expect_random(small, false, 10, 2); }
TEST(EngineCore, OnTwoClocks) {
  expect_random({.rows = 32, .columns = 8, .places = 4096, .weight_words = 64}, true, 10, 0);
}

}  // namespace kumiki::gen::engine::core_test
