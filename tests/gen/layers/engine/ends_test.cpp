// SPDX-License-Identifier: Apache-2.0
// Transposes at the ends of a graph become orders of the host.
#include "gen/layers/engine/ends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "gen/layers/engine/lower.h"
#include "gen/layers/engine/ports/image.h"
#include "tests/support/engine_networks.h"
#include "tests/support/engine_run.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::ends_test {
namespace {

using testing::ElementsAre;

TEST(EngineEnds, AHostHasTheNumbersInItsOrder) {
  // A map of two channels and three columns; the host has a row for each column.
  const HostOrder order{{2, 0, 1}};
  const graph::Shape map{2, 1, 3};
  EXPECT_EQ(order.shape(map), (graph::Shape{1, 3, 2}));
  EXPECT_EQ(order.place(map, 0), 0u);
  EXPECT_EQ(order.place(map, 1), 2u);  // channel 0 of column 1
  EXPECT_EQ(order.place(map, 3), 1u);  // channel 1 of column 0
  const std::vector<std::int32_t> host{1, 2, 3, 4, 5, 6};
  EXPECT_THAT(order.to_map(map, host), ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(order.to_host(map, order.to_map(map, host)), ElementsAre(1, 2, 3, 4, 5, 6));
}

// Two dense layers on tokens with a table between them, and a residual sum around them.
std::string block(int tokens, int channels, int wide, const std::string& ends) {
  std::string text = fmt::format(R"(graph block
tensor x u8 {0}x{1} scale 0x1p-4 zero 120
tensor r s8 {0}x{1} scale 0x1p-4 zero 3
tensor x/map u8 {1}x1x{0} scale 0x1p-4 zero 120
tensor fc1 u8 {2}x1x{0} scale 0x1p-3 zero 100
tensor fc1/tokens u8 {0}x{2} scale 0x1p-3 zero 100
tensor table u8 {0}x{2} scale 0x1p-3 zero 9
tensor table/map u8 {2}x1x{0} scale 0x1p-3 zero 9
tensor fc2 s8 {1}x1x{0} scale 0x1p-4 zero -5
tensor fc2/tokens s8 {0}x{1} scale 0x1p-4 zero -5
tensor y s8 {0}x{1} scale 0x1p-3 zero 1
{3}transpose x/map x -> x/map order 1x0 view {0}x{1}
conv fc1 x/map -> fc1
)",
                                 tokens, channels, wide, ends);
  const auto numbers = [&](const char* what, int count, int step, int most) {
    text += fmt::format("  {}", what);
    for (int i = 0; i < count; ++i) text += fmt::format(" {}", i * step % (2 * most + 1) - most);
    text += "\n";
  };
  text += "  scales 0x1p-6\n";
  numbers("bias", wide, 37, 400);
  for (int o = 0; o < wide; ++o) numbers("weights", channels, 7 + o, 40);
  text +=
      fmt::format("transpose fc1/tokens fc1 -> fc1/tokens order 1x0 view {}x{}\n", wide, tokens);
  text += "lookup table fc1/tokens -> table\n";
  for (int i = 0; i < 16; ++i) {
    text += "  values";
    for (int k = 0; k < 16; ++k) text += fmt::format(" {}", (i * 16 + k) * 3 / 4 + (k & 1));
    text += "\n";
  }
  text +=
      fmt::format("transpose table/map table -> table/map order 1x0 view {}x{}\n", tokens, wide);
  text += "conv fc2 table/map -> fc2\n  scales 0x1p-7\n";
  numbers("bias", channels, 53, 300);
  for (int o = 0; o < channels; ++o) numbers("weights", wide, 5 + o, 30);
  text += fmt::format("transpose fc2/tokens fc2 -> fc2/tokens order 1x0 view {}x{}\n", channels,
                      tokens);
  return text + "add y r fc2/tokens -> y\n";
}

const EngineShape shape{.rows = 8, .columns = 4, .places = 2048, .weight_words = 64};

TEST(EngineEnds, AResidualBlockOfTokensHasNoTransposeInside) {
  for (const int tokens : {2, 7, 197}) {
    const graph::Graph g =
        graph::parse_graph("block.graph", block(tokens, 5, 13, "input x\ninput r\noutput y\n"));
    const auto p = std::make_shared<const Program>(lower(g, shape));
    for (const graph::Node& n : p->graph->nodes)
      EXPECT_FALSE(std::holds_alternative<graph::Transpose>(n.op)) << n.name;
    const HostOrder order{{2, 1, 0}};
    EXPECT_THAT(p->input_orders, ElementsAre(order, order)) << tokens;
    EXPECT_THAT(p->output_orders, ElementsAre(order)) << tokens;
    EXPECT_EQ(*p->whole, g);
    const test::EngineNetwork network = test::engine_network(p, test::rotating_seed());
    EXPECT_EQ(run(*p, network.image), network.wanted()) << tokens << " tokens";
  }
}

// Tables between dense layers see a vector in another shape than the layers do.
TEST(EngineEnds, ATokenAlone) {
  std::string text = block(1, 5, 13, "input x\noutput fc2/tokens\n");
  text.erase(text.find("add y"));
  const auto p = std::make_shared<const Program>(lower(graph::parse_graph("g", text), shape));
  const test::EngineNetwork network = test::engine_network(p, test::rotating_seed());
  EXPECT_EQ(run(*p, network.image), network.wanted());
}

// Behind that of the input there is another one, of the whole network.
TEST(EngineEnds, TransposesAloneAreRefused) {
  const auto of = [](const std::string& first, const std::string& second) {
    return graph::parse_graph("g",
                              "graph g\n"
                              "tensor x s8 2x3x4 scale 0x1p+0 zero 0\n"
                              "tensor m s8 3x2x4 scale 0x1p+0 zero 0\n"
                              "tensor y s8 3x4x2 scale 0x1p+0 zero 0\n"
                              "input x\noutput y\n"
                              "transpose a x -> m order " +
                                  first + "\ntranspose b m -> y order " + second + "\n");
  };
  EXPECT_THROW((void)lower(of("1x0x2", "0x2x1"), shape), DesignError);
  // Both change nothing.
  const graph::Graph g = graph::parse_graph("g",
                                            "graph g\n"
                                            "tensor x s8 1x3x4 scale 0x1p+0 zero 0\n"
                                            "tensor m s8 3x1x4 scale 0x1p+0 zero 0\n"
                                            "tensor y s8 3x4x1 scale 0x1p+0 zero 0\n"
                                            "input x\noutput y\n"
                                            "transpose a x -> m order 1x0x2\n"
                                            "transpose b m -> y order 0x2x1\n");
  const auto p = std::make_shared<const Program>(lower(g, shape));
  EXPECT_TRUE(p->graph->nodes.empty());
  const test::EngineNetwork network = test::engine_network(p, test::rotating_seed());
  EXPECT_EQ(run(*p, network.image), network.wanted());
}

// What reads or leaves a tensor in both orders needs a transpose, which no unit does.
TEST(EngineEnds, TransposesInsideAreRefused) {
  const auto why = [](const std::string& ends) -> std::string {
    try {
      (void)lower(graph::parse_graph("block.graph", block(7, 5, 13, ends)), shape);
    } catch (const DesignError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why("input x\ninput r\noutput y\noutput fc1\n"), "");
  EXPECT_EQ(why("input x\ninput r\noutput y\noutput fc1/tokens\n"), "");
  EXPECT_THAT(
      why("input x\ninput r\noutput y\noutput fc1/tokens\noutput fc1\n"),
      testing::HasSubstr("fc1/tokens, a transpose: it moves numbers in a way that no walk has"));
}

}  // namespace
}  // namespace kumiki::gen::engine::ends_test
