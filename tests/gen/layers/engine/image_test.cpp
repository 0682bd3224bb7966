// SPDX-License-Identifier: Apache-2.0
// Maps that wait outside share the data range of a program in memory.
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "gen/graph/text.h"
#include "gen/layers/engine/ports/image_run.h"
#include "tests/support/engine_networks.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine {
namespace {

constexpr EngineShape shape{.rows = 8, .columns = 4, .places = 4096, .weight_words = 128};
PortsPlan ports() { return {.engine = {plan_core(shape, false)}}; }

// The image through the model of the engine, from a memory that pauses.
void expect_results(const MemoryImage& image, const test::EngineNetwork& network) {
  const PortsPlan plan = ports();
  ImageRun run(plan, image, network.image, {.latency = 9, .more = 30, .pauses = 5});
  PortsModel model(plan);
  for (std::int64_t clock = 0; !run.is_done() && clock < 2'000'000; ++clock) {
    PortsIn<Values> in{};
    run.drive(in);
    run.watch(in, model.step(in));
  }
  EXPECT_EQ(outputs_of(image, run.data()), network.wanted()) << "seed " << network.seed;
}

std::size_t tensors_that_leave(const Program& p) {
  std::set<std::size_t> all;
  for (const Step& step : p.steps)
    if (const auto* store = std::get_if<Store>(&step)) all.insert(store->tensor);
  return all.size();
}

// Layer after layer makes a map that does not fit.
TEST(EngineImage, MapsTakeTheWordsOfThoseThatWereRead) {
  constexpr int layers = 6, size = 20;
  std::string text = "graph chain\n", nodes;
  for (int i = 0; i <= layers; ++i)
    text += fmt::format("tensor t{} u8 8x{}x{} scale 0x1p-3 zero {}\n", i, size, size, 3 + i);
  for (int i = 0; i < layers; ++i) {
    nodes += fmt::format(
        "conv c{0} t{0} -> t{1} kernel 3x3 before 1x1 after 1x1\n  scales 0x1p-6\n  bias 1 2 3 4 5 "
        "6 7 8\n",
        i, i + 1);
    for (int o = 0; o < 8; ++o) {
      nodes += "  weights";
      for (int k = 0; k < 72; ++k) nodes += fmt::format(" {}", (o * 11 + k * 7 + i) % 17 - 8);
      nodes += "\n";
    }
  }
  const auto graph = graph::parse_graph(
      "chain.graph", text + fmt::format("input t0\noutput t{}\n", layers) + nodes);
  EngineShape few = shape;
  few.places = 320;
  const auto program = std::make_shared<const Program>(lower(graph, few));
  const MemoryImage image = memory_image(ports(), program);
  EXPECT_EQ(tensors_that_leave(*program), std::size_t{layers});
  EXPECT_EQ(image.data_words, image.least_words);
  // A map is read while the next one comes, and the result stays.
  const std::int64_t parts = shape.rows / shape.columns, map = size * size * parts;
  EXPECT_LE(image.data_words - image.input_bytes / ports().word_bytes(), 4 * map);
  expect_results(image, test::engine_network(program, test::rotating_seed()));
}

TEST(EngineImage, RandomNetworksOfFewPlaces) {
  const std::uint64_t seed = test::rotating_seed();
  const int wanted = test::long_form() ? 60 : 6;
  int done = 0;
  std::int64_t all = 0, least = 0;
  for (std::uint64_t tries = 0; tries < 4000 && done < wanted; ++tries) {
    const auto program = test::with_few_places(test::RandomGraph(seed + tries).made(), shape);
    if (!program || !why_not(ports().engine, *program).empty()) continue;
    ++done;
    const MemoryImage image = memory_image(ports(), program);
    EXPECT_GE(image.data_words, image.least_words);
    all += image.data_words;
    least += image.least_words;
    expect_results(image, test::engine_network(program, seed + tries));
  }
  EXPECT_EQ(done, wanted);
  EXPECT_LE(all, least + least / 20);
}

}  // namespace
}  // namespace kumiki::gen::engine
