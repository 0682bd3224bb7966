// SPDX-License-Identifier: Apache-2.0
// The forecast beside the model, which the netlist follows in every clock.
#include <gtest/gtest.h>

#include "gen/layers/engine/hardware/forecast.h"
#include "gen/layers/engine/host.h"
#include "tests/support/engine_networks.h"
#include "tests/support/long_form.h"
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
  }
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

}  // namespace
}  // namespace kumiki::gen::engine
