// SPDX-License-Identifier: Apache-2.0
// The clocks of an image by layer and cause: every clock once, and the beats of every step where
// the spans have them.
#include "gen/layers/engine/timeline.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "gen/layers/engine/host.h"
#include "tests/support/engine_networks.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::timeline_test {

const EngineShape shapes[] = {
    {.rows = 8, .columns = 4, .places = 1024, .weight_words = 32},
    {.rows = 16, .columns = 8, .places = 512, .weight_words = 64},
    {.rows = 8, .columns = 8, .places = 256, .weight_words = 16},
    {.rows = 8, .columns = 4, .beat_parts = 2, .places = 512, .weight_words = 32},
};

// Calls f with some random networks on every shape.
template <class F>
void each_network(int count, F f) {
  for (const EngineShape& shape : shapes) {
    const EnginePlan plan{plan_core(shape, shape.rows == 16)};
    test::EngineNetworks networks(plan, test::rotating_seed());
    for (int i = 0; i < count; ++i) {
      const auto n = networks.next().value();
      SCOPED_TRACE(testing::Message() << shape.rows << " rows, network of seed " << n.seed);
      f(plan, n);
    }
  }
}

TEST(EngineTimeline, HasEveryClockOnce) {
  each_network(25, [](const EnginePlan& plan, const test::EngineNetwork& n) {
    const Timeline t = timeline_of(plan, *n.program);
    EXPECT_EQ(t.clocks, forecast(plan, *n.program));
    std::int64_t clocks = 0, steps = 0;
    for (const LayerClocks& l : t.layers) {
      clocks += l.clocks();
      steps += l.steps;
      for (const std::int64_t of_cause : l.by_cause) EXPECT_GE(of_cause, 0) << l.name;
      EXPECT_EQ(l.by_cause[static_cast<std::size_t>(l.bound())],
                *std::ranges::max_element(l.by_cause));
      EXPECT_LT(l.begin, l.end) << l.name;
      EXPECT_LE(l.end, t.clocks) << l.name;
    }
    EXPECT_EQ(clocks, t.clocks);
    EXPECT_EQ(steps, std::ssize(n.program->steps));
    const ByCause all = t.by_cause();
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::int64_t{0}), t.clocks);
  });
}

TEST(EngineTimeline, PartsDoOneThingAtATime) {
  each_network(25, [](const EnginePlan& plan, const test::EngineNetwork& n) {
    const Timeline t = timeline_of(plan, *n.program);
    std::map<Busy, std::int64_t> until;
    std::int64_t last = 0;
    for (const Span& s : t.spans) {
      EXPECT_GE(s.begin, until[s.part]);
      EXPECT_LT(s.begin, s.end);
      EXPECT_LE(s.results, s.end - s.begin);
      until[s.part] = s.end;
      last = std::max(last, s.end);
    }
    EXPECT_EQ(last, t.clocks);
  });
}

// The netlist is its model in every clock, so this is what the netlist does.
TEST(EngineTimeline, BeatsComeAndLeaveInTheirSpans) {
  each_network(8, [](const EnginePlan& plan, const test::EngineNetwork& n) {
    const Program& p = *n.program;
    const Timeline t = timeline_of(plan, p);
    constexpr std::size_t nothing = ~std::size_t{0};
    std::vector<std::size_t> step_of(static_cast<std::size_t>(t.clocks), nothing);
    std::map<std::size_t, std::int64_t> clocks;  // of a step's spans
    for (const Span& s : t.spans) {
      if (s.part == Busy::unit) continue;
      clocks[s.step] += s.end - s.begin;
      for (std::int64_t c = s.begin; c < s.end; ++c) step_of[static_cast<std::size_t>(c)] = s.step;
    }
    EngineModel model(plan);
    Host host(std::make_shared<SharedBeats>(plan, n.program), n.image);
    for (std::size_t i = 0; i < p.steps.size(); ++i)
      if (!std::holds_alternative<Load>(p.steps[i])) {
        EXPECT_EQ(beats_that_come(plan, p.steps[i]), std::ssize(beats_of(plan, p, i, {})));
      }
    std::size_t step = 0;
    std::int64_t taken = 0;
    std::map<std::size_t, std::int64_t> left;
    for (std::size_t clock = 0; !host.is_done(); ++clock) {
      ASSERT_LT(clock, step_of.size());
      const auto in = host.drive();
      const auto out = model.step(in);
      if (in.in_valid && out.in_ready) {
        EXPECT_EQ(step_of[clock], step) << "clock " << clock;
        if (++taken == beats_that_come(plan, p.steps[step])) {
          // A packet's words come one in a clock, but for a load beside an operation that writes.
          // Behind those of an operation are two clocks.
          const auto* op = std::get_if<Op>(&p.steps[step]);
          if (std::holds_alternative<Load>(p.steps[step]) && p.beside(step) > 0) {
            EXPECT_LE(taken, clocks[step]) << "step " << step;
          } else if (!std::holds_alternative<Store>(p.steps[step]) && !(op && !op->fills.empty())) {
            EXPECT_EQ(taken + (op ? 2 : 0), clocks[step]) << "step " << step;
          }
          ++step;
          taken = 0;
        }
      }
      if (out.out_valid && !in.rst) {
        ASSERT_NE(step_of[clock], nothing) << "clock " << clock;
        EXPECT_TRUE(std::holds_alternative<Store>(p.steps[step_of[clock]]));
        ++left[step_of[clock]];
      }
      host.watch(in, out);
    }
    EXPECT_EQ(step, p.steps.size());
    for (std::size_t i = 0; i < p.steps.size(); ++i)
      if (std::holds_alternative<Store>(p.steps[i])) {
        EXPECT_EQ(left[i], beats_that_leave(plan, p.steps[i])) << "step " << i;
      }
  });
}

// Also with maps outside, of which strips have places.
TEST(EngineTimeline, PlacesAreHeldByOneTensorAtATime) {
  std::size_t strips = 0;
  const auto expect_held = [&](const Program& p) {
    std::int64_t most = 0;
    for (const Held& a : p.held) {
      EXPECT_LE(a.first, a.last);
      EXPECT_LT(a.last, p.steps.size());
      most = std::max(most, a.place + a.places);
      strips += a.is_strip;
      for (const Held& b : p.held)
        if (&a != &b && a.first <= b.last && b.first <= a.last) {
          EXPECT_TRUE(a.place + a.places <= b.place || b.place + b.places <= a.place)
              << p.graph->tensors[a.tensor].name << " and " << p.graph->tensors[b.tensor].name;
        }
    }
    EXPECT_EQ(most, p.places);
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
      const auto* load = std::get_if<Load>(&p.steps[i]);
      const auto* store = std::get_if<Store>(&p.steps[i]);
      if (!load && !store) continue;
      const Map& map = load ? load->to : store->from;
      EXPECT_TRUE(std::ranges::any_of(p.held,
                                      [&](const Held& h) {
                                        return h.first <= i && i <= h.last && h.place <= map.base &&
                                               map.base + map.places() <= h.place + h.places;
                                      }))
          << "step " << i;
    }
  };
  each_network(25, [&](const EnginePlan&, const test::EngineNetwork& n) {
    expect_held(*n.program);
    if (const auto p = test::with_few_places(*n.program->graph, n.program->shape)) expect_held(*p);
  });
  EXPECT_GT(strips, 0u);
}

// A load belongs to the layer that reads it first, and a result to the one that made it.
TEST(EngineTimeline, MovesBelongToLayers) {
  each_network(25, [](const EnginePlan& plan, const test::EngineNetwork& n) {
    const Program& p = *n.program;
    const Timeline t = timeline_of(plan, p);
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
      const LayerClocks& l = t.layers[t.layer_of[i]];
      if (const auto* op = std::get_if<Op>(&p.steps[i])) {
        EXPECT_TRUE(l.name.starts_with(p.graph->nodes[op->nodes[0]].name));
      } else if (p.nodes[i]) {
        EXPECT_TRUE(l.name.starts_with(p.graph->nodes[*p.nodes[i]].name));
      }
    }
  });
}

}  // namespace kumiki::gen::engine::timeline_test
