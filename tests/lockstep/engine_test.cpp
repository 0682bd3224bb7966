// SPDX-License-Identifier: Apache-2.0
// The engine behind its streams: whole networks on the netlist and on the model, in every clock,
// and their results against the definition of the network.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "backends/sim/native/machine.h"
#include "gen/graph/interpret.h"
#include "gen/layers/engine/hardware/stream.h"
#include "gen/layers/engine/lower.h"
#include "ir/error.h"
#include "tests/support/long_form.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::stream_test {

class EngineRig {
 public:
  explicit EngineRig(const EnginePlan& plan)
      : plan_(plan), in_(input_shape(plan)), out_(output_shape(plan)), model_(plan) {
    build_top(builder_, build_engine, plan, in_);
    netlist_.emplace(builder_.design());
    netlist_->power_up();
  }
  const EnginePlan& plan() const { return plan_; }
  std::int64_t clocks() const { return clocks_; }

  EngineOut<Values> step(const EngineIn<Values>& in) {
    ir::Frame frame, wanted, valid, given;
    pack(in_, in, frame);
    const EngineOut<Values> out = model_.step(in);
    pack(out_, out, wanted);
    pack_valid(out_, out, valid);
    netlist_->step(frame, given);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if ((given[i] & valid[i]) != (wanted[i] & valid[i]))
        ADD_FAILURE() << "clock " << clocks_ << ", limb " << i << ": " << given[i] << " instead of "
                      << wanted[i];
    ++clocks_;
    return out;
  }

  // Sends all beats and collects so many, with stalls on both sides, or never if `one_in` is 0.
  std::vector<Beat> play(const std::vector<Beat>& beats, std::size_t wanted, std::uint64_t seed,
                         unsigned one_in) {
    std::mt19937_64 random(seed);
    const auto coin = [&] { return one_in == 0 || random() % one_in != 0; };
    std::vector<Beat> all;
    const Beat nothing(static_cast<std::size_t>(plan_.core.shape.columns), 0);
    std::size_t at = 0;
    for (int waits = 0; at < beats.size() || all.size() < wanted; ++waits) {
      EngineIn<Values> in{.rst = false,
                          .in_valid = at < beats.size() && coin(),
                          .out_ready = coin(),
                          .in_data = at < beats.size() ? beats[at] : nothing};
      const EngineOut<Values> out = step(in);
      if (in.in_valid && out.in_ready) ++at, waits = 0;
      if (in.out_ready && out.out_valid) {
        all.push_back(out.out_data);
        EXPECT_EQ(out.out_last, all.size() == wanted) << "beat " << all.size();
        waits = 0;
      }
      if (::testing::Test::HasFailure() || waits > 100'000) {
        ADD_FAILURE() << "the engine stops at beat " << at << " of " << beats.size();
        break;
      }
    }
    return all;
  }
  void reset() {
    step({.rst = true,
          .in_valid = false,
          .out_ready = false,
          .in_data = Beat(static_cast<std::size_t>(plan_.core.shape.columns), 0)});
  }

 private:
  EnginePlan plan_;
  EngineIn<Hardware> in_;
  EngineOut<Hardware> out_;
  EngineModel model_;
  Builder builder_;
  std::optional<backends::NativeMachine> netlist_;
  std::int64_t clocks_ = 0;
};

// The beats of all outputs of a program with one output.
std::size_t beats_of(const EnginePlan& plan, const Program& p) {
  std::size_t all = 0;
  for (const Step& step : p.steps)
    if (const auto* store = std::get_if<Store>(&step))
      all += static_cast<std::size_t>(store->from.places() * plan.core.parts());
  return all;
}

void expect_networks(const EngineShape& shape, bool is_double, std::size_t wanted,
                     unsigned one_in) {
  const std::uint64_t seed = test::rotating_seed();
  EngineRig rig({plan_core(shape, is_double)});
  rig.reset();
  std::size_t done = 0;
  for (std::uint64_t i = 0; done < wanted && i < 2000; ++i) {
    const graph::Graph g = test::RandomGraph(seed * 1000 + i).made();
    std::optional<Program> p;
    try {
      p = lower(g, shape);
    } catch (const DesignError&) {
      continue;
    }
    if (g.outputs.size() > 1 || !why_not(rig.plan(), *p).empty()) continue;
    const graph::Interpreter definition(*p->graph);
    graph::Interpreter::Memory memory;
    const auto image = test::random_images(*p->graph, 1, seed + i);
    definition.run(image, memory);
    const auto beats =
        rig.play(stream_of(rig.plan(), *p, image), beats_of(rig.plan(), *p), seed + i, one_in);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "graph " << i;
    EXPECT_EQ(results_of(rig.plan(), *p, beats)[0], memory[p->graph->outputs[0]]) << "graph " << i;
    ++done;
  }
  EXPECT_GE(done, wanted);
  std::printf("%zu networks, %lld clocks\n", done, static_cast<long long>(rig.clocks()));
}

constexpr EngineShape small{.rows = 16, .columns = 4, .places = 4096, .weight_words = 64};

TEST(Engine, NetworksFromAStream) { expect_networks(small, false, 6, 0); }
TEST(Engine, StallsOnBothStreams) { expect_networks(small, false, 4, 3); }
TEST(Engine, OnTwoClocks) {
  expect_networks({.rows = 32, .columns = 8, .places = 4096, .weight_words = 64}, true, 3, 0);
}

}  // namespace kumiki::gen::engine::stream_test
