// SPDX-License-Identifier: Apache-2.0
// The forecast beside the model, which the netlist follows in every clock.
#include <gtest/gtest.h>

#include "gen/layers/engine/bound.h"
#include "gen/layers/engine/hardware/forecast.h"
#include "gen/layers/engine/host.h"
#include "gen/layers/engine/lower.h"
#include "tests/support/engine_networks.h"
#include "tests/support/long_form.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine {
namespace {

std::int64_t clocks_of(const EnginePlan& plan, const test::EngineNetwork& n) {
  EngineModel model(plan);
  Host host(std::make_shared<SharedBeats>(plan, n.program), n.image);
  while (!host.is_done()) {
    const auto in = host.drive();
    host.watch(in, model.step(in));
  }
  return host.clocks();
}

void expect_forecast(const EngineShape& shape, bool is_double) {
  const EnginePlan plan{plan_core(shape, is_double)};
  test::EngineNetworks networks(plan, test::rotating_seed());
  for (int i = 0; i < (test::long_form() ? 300 : 40); ++i) {
    const auto n = networks.next().value();
    const std::int64_t clocks = clocks_of(plan, n), said = forecast(plan, *n.program);
    EXPECT_EQ(clocks, said) << "network of seed " << n.seed;
    EXPECT_LE(least_clocks(shape, *n.program->graph), said) << "network of seed " << n.seed;
  }
}

// By hand: 5 tiles of 4 columns for 9 sets of four pixels, whose results leave in four clocks; one
// pixel, whose weights take longest; 16 sets of 180 numbers, 8 in a clock; the same for 36 of four
// channels by themselves.
TEST(EngineForecast, NoProgramUndercutsTheBound) {
  constexpr EngineShape shape{
      .rows = 8, .columns = 4, .beat_parts = 2, .places = 1024, .weight_words = 32};
  const graph::Window window{.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}};
  EXPECT_EQ(least_clocks(shape, test::convolution_of({20, 6, 6}, {}, 1, 1)), 5 * 9 * 4);
  EXPECT_EQ(least_clocks(shape, test::convolution_of({20, 1, 1}, {}, 1, 1)), 53);
  EXPECT_EQ(least_clocks(shape, test::convolution_of({20, 8, 8}, window, 1, 1)), 5 * 16 * 23);
  EXPECT_EQ(least_clocks(shape, test::convolution_of({20, 8, 8}, window, 20, 1)), 5 * 16 * 5);
}

TEST(EngineForecast, OneClock) {
  expect_forecast({.rows = 8, .columns = 4, .places = 1024, .weight_words = 32}, false);
}
TEST(EngineForecast, TwoClocks) {
  expect_forecast({.rows = 16, .columns = 8, .places = 1024, .weight_words = 64}, true);
}
TEST(EngineForecast, SmallRing) {
  expect_forecast({.rows = 8, .columns = 8, .places = 1024, .weight_words = 16}, false);
}

TEST(EngineForecast, WideBeats) {
  expect_forecast({.rows = 16, .columns = 4, .beat_parts = 4, .places = 1024, .weight_words = 32},
                  false);
  expect_forecast({.rows = 16, .columns = 8, .beat_parts = 2, .places = 1024, .weight_words = 64},
                  true);
}
TEST(EngineForecast, WordsOfOneBeat) {
  expect_forecast({.rows = 8, .columns = 4, .beat_parts = 2, .places = 1024, .weight_words = 16},
                  false);
}
// Networks whose weights are numbers of maps.
template <class Graph>
void expect_filled(const EngineShape& shape, bool is_double, const Graph& graph) {
  const EnginePlan plan{plan_core(shape, is_double)};
  const std::uint64_t seed = test::rotating_seed();
  std::size_t filled = 0;
  for (std::uint64_t i = 0; i < 60 && filled < 8; ++i) {
    std::shared_ptr<const Program> program;
    try {
      program =
          std::make_shared<const Program>(lower(graph(test::RandomGraph(seed * 1000 + i)), shape));
    } catch (const DesignError&) {
      continue;  // no scale gives its products
    }
    if (!why_not(plan, *program).empty()) continue;
    for (const Step& step : program->steps)
      if (const auto* op = std::get_if<Op>(&step)) filled += !op->fills.empty();
    const std::int64_t said = forecast(plan, *program);
    EXPECT_EQ(clocks_of(plan, test::engine_network(program, i)), said)
        << "network of seed " << seed * 1000 + i;
    EXPECT_LE(least_clocks(shape, *program->graph), said) << "network of seed " << seed * 1000 + i;
  }
  EXPECT_GE(filled, 8u);
}
TEST(EngineForecast, Gates) {
  for (const bool is_double : {false, true})
    expect_filled({.rows = 16, .columns = 4, .places = 4096, .weight_words = 64}, is_double,
                  [](test::RandomGraph random) { return random.of_gates(); });
}
TEST(EngineForecast, Attention) {
  const auto expect = [](const EngineShape& shape, bool is_double) {
    expect_filled(shape, is_double, [&](test::RandomGraph random) {
      return random.of_attention(static_cast<int>(shape.rows), shape.normalises);
    });
  };
  expect({.rows = 16, .columns = 4, .places = 4096, .weight_words = 64}, true);
  expect({.rows = 16, .columns = 8, .beat_parts = 2, .places = 4096, .weight_words = 64}, false);
  expect({.rows = 8, .columns = 8, .places = 4096, .weight_words = 32}, false);
  expect({.rows = 8, .columns = 4, .beat_parts = 2, .places = 4096, .weight_words = 16}, false);
  // With softmax and layer normalisation.
  expect({.rows = 16, .columns = 4, .places = 4096, .weight_words = 64, .normalises = true}, true);
  expect({.rows = 16,
          .columns = 8,
          .beat_parts = 2,
          .places = 4096,
          .weight_words = 64,
          .normalises = true},
         false);
  expect({.rows = 8, .columns = 8, .places = 4096, .weight_words = 64, .normalises = true}, false);
}

}  // namespace
}  // namespace kumiki::gen::engine
