// SPDX-License-Identifier: Apache-2.0
// Images through the netlist of an engine and through its model.
#include "gen/flow/trained/on_engine.h"

#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "gen/layers/engine/layer.h"
#include "gen/layers/engine/messages.h"
#include "tests/support/messages.h"
#include "tests/support/random_graph.h"

namespace kumiki::flow {
namespace on_engine_test {

// The engine and the network of the type's example.
gen::engine::Engine example() {
  const auto type = gen::engine::layer_type();
  return gen::engine::planned(
      {.rows = 8,
       .columns = 4,
       .places = 256,
       .ring = 32,
       .graph = gen::GraphFile{.file = "units.graph",
                               .graph = std::make_shared<const gen::graph::Graph>(
                                   gen::graph::parse_graph("units.graph", type.files[0].text))}});
}

// More images than there are lanes.
TEST(OnEngine, EveryImageIsAsDefined) {
  const gen::engine::Engine engine = example();
  const gen::graph::Graph& g = *engine.program->graph;
  constexpr std::size_t count = 66;
  const auto images = test::random_images(g, count, 1);
  const gen::graph::Interpreter definition(g);
  const auto wanted = definition.run_all(images, g.outputs[0], 1);
  std::array<std::int64_t, 2> clocks{};
  for (const std::size_t i : {0, 1}) {
    const std::size_t some = i == 0 ? count : 2;
    std::vector<TensorNumbers> outputs;
    outputs.emplace_back(g, g.outputs[0], some);
    outputs.emplace_back(g, g.input, some);
    Context context;
    clocks[i] = compute_on_engine({.engine = engine, .machine = i == 0 ? "native" : "model"},
                                  std::span(images).first(some * images.size() / count), some,
                                  outputs, context);
    for (std::size_t image = 0; image < some; ++image) {
      for (std::size_t k = 0; k < outputs[0].size(); ++k)
        EXPECT_EQ(outputs[0].at(image, k), wanted[image * outputs[0].size() + k]) << image;
      EXPECT_EQ(outputs[1].at(image, 0), images[image * images.size() / count]);
    }
  }
  EXPECT_EQ(clocks[0], clocks[1]);
  EXPECT_GT(clocks[0], 500);
}

TEST(OnEngine, SaysThatNothingMoves) {
  const gen::engine::Engine engine = example();
  const auto images = test::random_images(*engine.program->graph, 1, 1);
  test::expect_messages("messages/engine-run.txt",
                        {{code::engine_stops, [&] {
                            Context context;
                            (void)compute_on_engine(
                                {.engine = engine, .machine = "model", .patience = 20}, images, 1,
                                {}, context);
                          }}});
}

}  // namespace on_engine_test
}  // namespace kumiki::flow
