// SPDX-License-Identifier: Apache-2.0
// Frames through pipelines of which only valid and ready are looked at: the same clocks and the
// same queues as the models show, which compute their numbers in every clock.
#include "gen/layers/pipeline/queues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gen/graph/text.h"
#include "gen/layers/pipeline/counts/flow.h"
#include "gen/layers/pipeline/fill.h"
#include "gen/layers/pipeline/lower.h"
#include "gen/layers/pipeline/machines/fifo.h"
#include "gen/layers/pipeline/machines/width.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/layers/pipeline/model.h"
#include "gen/layers/pipeline/streamed.h"
#include "tests/support/long_form.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::queues_test {

using graph::Graph;
using test::RandomGraph;

// The definition of flow(): the models on zeros, clock by clock. Frames never cease to come.
FlowRun by_models(const PipelinePlan& p, std::int64_t period, const FlowEnd& end) {
  PipelineModel model(p);
  const std::int64_t beats = p.input().beats(), results = p.output().beats();
  PipelineIn<Values> in{.out_ready = true};
  in.in_data.assign(static_cast<std::size_t>(p.input().lanes), 0);
  FlowRun out;
  out.fullest.assign(p.boxes.size(), 0);
  std::vector<std::int64_t> waiting(p.boxes.size(), 0);
  std::int64_t offered = 0, left = 0;
  for (std::int64_t clock = 0; clock < end.clocks && out.ends.size() < end.frames; ++clock) {
    in.in_valid = clock * beats >= period * offered;
    const auto shown = model.step(in);
    const bool taken = in.in_valid && shown.in_ready;
    for (std::size_t b = 0; b < p.boxes.size(); ++b) {
      const std::size_t source = p.boxes[b].sources[0];
      const bool comes = source == Box::from_outside ? taken : model.was_taken(source);
      waiting[b] += (comes ? 1 : 0) - (model.was_taken(b) ? 1 : 0);
      out.fullest[b] = std::max(out.fullest[b], waiting[b]);
    }
    if (taken) ++offered;
    if (shown.out_valid && ++left % results == 0) out.ends.push_back(clock);
  }
  return out;
}

// It ends with the frame from which on all frames are as those before.
void expect_as_the_models(const PipelinePlan& plan) {
  for (const std::int64_t period : {plan.interval(), std::int64_t{0}}) {
    const FlowRun given = flow(plan, period, {.frames = 5});
    const FlowRun wanted = by_models(plan, period, {.frames = given.ends.size()});
    EXPECT_EQ(given.ends, wanted.ends) << "a frame every " << period << " clocks";
    for (std::size_t b = 0; b < plan.boxes.size(); ++b) {
      if (plan.boxes[b].machine->kind() != "fifo") continue;
      EXPECT_EQ(given.fullest[b], wanted.fullest[b]) << plan.boxes[b].name;
    }
    if (given.turn == 0) continue;
    const std::size_t frames = 3 * given.turn + given.ends.size();
    const auto ends = by_models(plan, period, {.frames = frames}).ends;
    for (std::size_t f = given.ends.size(); f < ends.size(); ++f)
      EXPECT_EQ(ends[f] - ends[f - given.turn],
                given.ends.back() - given.ends[given.ends.size() - 1 - given.turn])
          << "frame " << f << " of those that repeat";
  }
}

// Up to a clock in the middle of frames, whoever is due in it.
void expect_fill(const PipelinePlan& plan, std::uint64_t seed) {
  const auto clocks = static_cast<std::int64_t>(seed * 7919 % 2000);
  SCOPED_TRACE(fmt::format("{} clocks", clocks));
  const Fill fill = measured_fill(plan, clocks);
  const FlowRun wanted = by_models(plan, 0, {.clocks = clocks});
  for (std::size_t b = 0; b < plan.boxes.size(); ++b) {
    const bool is_queue = plan.boxes[b].machine->kind() == "fifo";
    EXPECT_EQ(fill.fullest[b], is_queue ? wanted.fullest[b] : 0) << plan.boxes[b].name;
  }
}

// A queue of some depth in front of every input, so that machines wait for each other in all ways.
PipelinePlan with_small_queues(const PipelinePlan& p, std::uint64_t seed) {
  PipelinePlan out{.graph = p.graph, .inputs = p.inputs, .boxes = {}};
  std::vector<std::size_t> moved;
  for (Box box : p.boxes) {
    const auto streams = box.machine->inputs();
    for (std::size_t i = 0; i < box.sources.size(); ++i) {
      std::size_t& source = box.sources[i];
      if (source != Box::from_outside) source = moved[source];
      const FifoPlan queue{.stream = streams[i],
                           .depth = std::int64_t{1 << (1 + (seed + out.boxes.size()) % 3)}};
      out.boxes.push_back({box.name + "_queue" + std::to_string(i), machine(queue), {source}});
      source = out.boxes.size() - 1;
    }
    moved.push_back(out.boxes.size());
    out.boxes.push_back(box);
  }
  return out;
}

bool is_chain(const PipelinePlan& p) {
  for (std::size_t b = 0; b < p.boxes.size(); ++b)
    if (p.boxes[b].sources.size() > 1 || readers_of(p, b).size() > 1) return false;
  return readers_of(p, Box::from_outside).size() == 1;
}

// At paces of the graph from the fastest to the slowest one.
int expect_random_graph(const Graph& g, std::uint64_t seed) {
  SCOPED_TRACE(graph::to_text(g));
  try {
    const Foldings foldings(std::make_shared<const Graph>(streamed(g)), {});
    const auto paces = foldings.paces();
    std::int64_t clocks = paces.empty() ? 1 : paces[seed % paces.size()];
    for (;;) try {
        const PipelinePlan plan = lowered(foldings, clocks);
        expect_as_the_models(with_queues(plan));
        expect_fill(with_queues(plan), seed);
        // Where branches meet, queues that are too small stop a pipeline.
        if (is_chain(plan)) {
          expect_as_the_models(with_small_queues(plan, seed));
          expect_fill(with_small_queues(plan, seed), seed);
        }
        return 1;
      } catch (const TooSlow& e) {
        clocks = e.interval;
      }
  } catch (const DesignError& e) {
    EXPECT_EQ(e.code(), code::no_machine) << e.what();
    return 0;
  }
}

// Many boxes do the same frame after frame, until the slow ones behind them have filled a long
// queue and all of them wait. The slow ones do the same from their second frame on.
PipelinePlan fast_before_slow(std::int64_t depth) {
  const Stream wide{.height = 8, .width = 8, .channels = 12, .lanes = 12, .format = {8, false}};
  PipelinePlan p{.graph = nullptr, .inputs = {wide}, .boxes = {}};
  Stream last = wide;
  const auto add = [&](std::shared_ptr<const Machine> m) {
    const std::size_t source = p.boxes.empty() ? Box::from_outside : p.boxes.size() - 1;
    last = m->output();
    p.boxes.push_back({"box" + std::to_string(p.boxes.size()), std::move(m), {source}});
  };
  const auto back_and_forth = [&](std::int64_t lanes) {
    for (std::int64_t i = 0; i < 20; ++i) {
      const std::int64_t next = i % 2 == 0 ? lanes : wide.lanes;
      for (const WidthPlan& width : width_plans(last, next, 8 * 8 * 12)) add(machine(width));
      add(machine(FifoPlan{.stream = last, .depth = std::int64_t{2} << i % 3}));
    }
  };
  back_and_forth(6);
  add(machine(FifoPlan{.stream = wide, .depth = depth}));
  back_and_forth(1);
  return p;
}

TEST(PipelineQueues, BoxesThatRepeatWaitAsTheModelsDo) {
  for (const std::int64_t depth : {512, 4096}) {
    const PipelinePlan plan = fast_before_slow(depth);
    EXPECT_EQ(plan.interval(), 8 * 8 * 12);
    expect_as_the_models(plan);
    for (std::uint64_t seed = 0; seed < 5; ++seed) expect_fill(plan, seed);
  }
}

TEST(PipelineQueues, ClocksAndQueuesWithoutNumbersAreThoseOfTheModels) {
  const std::uint64_t seed = test::rotating_seed();
  int made = 0;
  const int graphs = test::long_form() ? 200 : 12;
  for (std::uint64_t i = 0; made < graphs && !HasFailure(); ++i) {
    const std::uint64_t own = seed * 1000 + i;
    RandomGraph random(own);
    made += expect_random_graph(i % 2 == 0    ? random.made()
                                : i % 16 == 1 ? random.of_tokens()
                                              : random.of_few_bits(),
                                own);
  }
  EXPECT_EQ(made, graphs);
}

// Adds a layer with a border that keeps the middle of its kernel within the map.
graph::TensorId add_conv(Graph& g, graph::TensorId in, int outputs, int kernel = 1, int stride = 1,
                         int groups = 1) {
  const graph::Shape map = g.tensors[in].shape;
  const int border = kernel / 2;
  graph::Conv c{.window = {.kernel = {kernel, kernel},
                           .stride = {stride, stride},
                           .before = {border, border},
                           .after = {border, border}},
                .groups = groups,
                .bias = std::vector<std::int32_t>(std::size_t(outputs), 7),
                .scales = {0.003F}};
  for (int i = 0; i < outputs * map[0] / groups * kernel * kernel; ++i)
    c.weights.push_back(static_cast<std::int16_t>(i * 37 % 255 - 127));
  const auto name = fmt::format("t{}", g.tensors.size());
  g.tensors.push_back({name,
                       {outputs, c.window.positions(0, map[1]), c.window.positions(1, map[2])},
                       {8, false},
                       11,
                       0.03F});
  g.nodes.push_back({"make_" + name, std::move(c), {in}, g.tensors.size() - 1});
  return g.tensors.size() - 1;
}

// Blocks of a pointwise, a depthwise and a pointwise layer with a way around them.
Graph residual_blocks(int blocks, int size, int channels) {
  Graph g{.name = "blocks", .tensors = {{"x", {2, size, size}, {8, false}, 0, 0.03F}}};
  graph::TensorId at = add_conv(g, 0, channels, 3, 2);
  for (int b = 0; b < blocks; ++b) {
    const graph::TensorId wide = add_conv(g, at, 2 * channels),
                          moved = add_conv(g, wide, 2 * channels, 3, 1, 2 * channels),
                          narrow = add_conv(g, moved, channels);
    g.tensors.push_back(g.tensors[narrow]);
    g.tensors.back().name = fmt::format("sum{}", b);
    g.nodes.push_back({fmt::format("add{}", b), graph::Add{}, {at, narrow}, g.tensors.size() - 1});
    at = g.tensors.size() - 1;
  }
  g.outputs = {at};
  graph::require_legal(g);
  return g;
}

// The first frames take longer than those of a full pipeline, up to ten of them here. Where only
// four were looked at, many paces got an error: "no queues that were tried let a frame pass".
TEST(PipelineQueues, FramesOfADeepNetworkAreJudgedWhenThePipelineIsFull) {
  for (const auto& [blocks, size] : {std::pair(3, 8), {4, 12}}) {
    const Foldings foldings(
        std::make_shared<const Graph>(streamed(residual_blocks(blocks, size, 4))), {});
    std::size_t planned = 0;
    for (const std::int64_t clocks : foldings.paces()) try {
        const PipelinePlan plan = with_queues(lowered(foldings, clocks));
        const FlowRun run = flow(plan, 0, {.frames = 1000});
        ASSERT_GT(run.turn, 0U) << clocks;
        EXPECT_EQ(run.interval(), plan.interval()) << clocks;
        ++planned;
      } catch (const TooSlow&) {
      }
    EXPECT_GT(planned, 5U);
  }
}

// A gate is known after the mean of its frame and layers of one pixel, each of which may take as
// long as a frame. The frames that wait for their gates need one queue, and no other queue has to
// make up for it.
TEST(PipelineQueues, FramesThatWaitForTheirGateWaitInOneQueue) {
  const int channels = 8, size = 8, layers = 5;
  Graph g{.name = "gate", .tensors = {{"x", {channels, size, size}, {8, false}, 0, 0.03F}}};
  const auto add = [&](const std::string& name, graph::Operator op,
                       std::vector<graph::TensorId> from, const graph::Shape& shape) {
    g.tensors.push_back({name, shape, {8, false}, 0, 0.03F});
    g.nodes.push_back({"make_" + name, std::move(op), std::move(from), g.tensors.size() - 1});
    return g.tensors.size() - 1;
  };
  graph::TensorId gate = add("mean", graph::GlobalAverage{}, {0}, {channels, 1, 1});
  for (int l = 0; l < layers; ++l) gate = add_conv(g, gate, l + 1 == layers ? channels : 64);
  gate = add("spread", graph::Resize{{size, size}}, {gate}, g.tensors[0].shape);
  g.tensors[gate].zero_point = 11;
  g.outputs = {add("gated", graph::Mul{}, {0, gate}, g.tensors[0].shape)};
  graph::require_legal(g);
  const Foldings foldings(std::make_shared<const Graph>(streamed(g)), {});
  const PipelinePlan plan = with_queues(lowered(foldings, 512));
  const FlowRun run = flow(plan, 0, {.frames = 1000});
  ASSERT_GT(run.turn, 0U);
  EXPECT_EQ(run.interval(), plan.interval());
  std::vector<std::int64_t> rooms;
  for (const Box& b : plan.boxes)
    if (b.machine->room() > 3) rooms.push_back(b.machine->room());
  ASSERT_EQ(rooms.size(), 1U);
  EXPECT_GT(rooms[0], 2 * channels * size * size);
}

// A second plan asks the store and searches for nothing; what is no list of its depths is searched
// for again, and other machines are another request.
TEST(PipelineQueues, AreKept) {
  struct Store : ir::SearchStore {
    std::map<std::string, std::string> all;
    int found = 0;
    std::optional<std::string> find(const std::string& request) override {
      const auto at = all.find(request);
      if (at == all.end()) return std::nullopt;
      ++found;
      return at->second;
    }
    void keep(const std::string& request, const std::string& result) override {
      all[request] = result;
    }
  } store;
  const Foldings foldings(std::make_shared<const Graph>(streamed(residual_blocks(2, 8, 4))), {});
  const auto text_of = [](const PipelinePlan& p) {
    std::string text;
    for (const Box& b : p.boxes) text += b.name + " " + b.machine->text() + "\n";
    return text;
  };
  const PipelinePlan machines = lowered(foldings, 200), others = lowered(foldings, 300);
  const std::string wanted = text_of(with_queues(machines));
  EXPECT_EQ(text_of(with_queues(machines, &store)), wanted);
  EXPECT_EQ(store.found, 0);
  ASSERT_EQ(store.all.size(), 1U);
  EXPECT_EQ(text_of(with_queues(machines, &store)), wanted);
  EXPECT_EQ(store.found, 1);
  const std::string kept = store.all.begin()->second;
  for (const std::string& damaged : {std::string(), std::string("4 4"), kept + " 8", "x" + kept,
                                     "3" + kept.substr(1), "-4" + kept.substr(1)}) {
    store.all.begin()->second = damaged;
    EXPECT_EQ(text_of(with_queues(machines, &store)), wanted) << damaged;
    EXPECT_EQ(store.all.begin()->second, kept) << damaged;
  }
  (void)with_queues(others, &store);
  EXPECT_EQ(store.all.size(), 2U);
}

}  // namespace kumiki::gen::pipeline::queues_test
