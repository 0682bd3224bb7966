// SPDX-License-Identifier: Apache-2.0
// Layers that leave their numbers as they are, and biases far past the result.
#include "gen/layers/pipeline/model.h"
#include "tests/support/long_form.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::identity_test {

using graph::Graph;
using graph::TensorId;
using namespace runs;

TEST(PipelineIdentities, RandomGraphsOfIdentities) {
  std::set<std::string> kinds;
  expect_random_graphs(&RandomGraph::of_identities, test::long_form() ? 300 : 14, kinds);
  for (const char* kind : {"convolution", "requantise", "add", "concat", "average"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

// A layer that leaves its numbers as they are, and what reads it: a convolution (56 where the
// definition says 0, once), a concat and an add (internal errors, once).
TEST(PipelineIdentities, IdentitiesInFrontOfEverythingThatReadsThem) {
  const auto graph_of = [](const char* format, const graph::Operator& reader, int inputs,
                           const graph::Shape& made) {
    const arith::Format f =
        std::string(format) == "s8" ? arith::Format{8, true} : arith::Format{8, false};
    Graph g{.name = "i",
            .tensors = {{"x", {2, 4, 4}, f, 0, 0.0625F},
                        {"m", {2, 4, 4}, f, 0, 0.0625F},
                        {"y", made, f, 0, 0.0625F}}};
    g.nodes.push_back(
        {"p", graph::Conv{.groups = 2, .weights = {1, 1}, .bias = {0, 0}, .scales = {1}}, {0}, 1});
    g.nodes.push_back(
        {"k", reader, inputs == 1 ? std::vector<TensorId>{1} : std::vector<TensorId>{0, 1}, 2});
    g.input = 0;
    g.outputs = {2};
    graph::require_legal(g);
    return g;
  };
  const graph::Conv conv{.weights = {5, -60, 64, 33}, .bias = {0, 0}, .scales = {0x1p-6F}};
  std::vector<std::int16_t> values(256);
  for (int i = 0; i < 256; ++i) values[std::size_t(i)] = static_cast<std::int16_t>(i / 2);
  for (const char* format : {"u8", "s8"})
    for (const In where : {In::slices, In::luts})
      for (const Graph& g :
           {graph_of(format, conv, 1, {2, 4, 4}), graph_of(format, graph::Add{}, 2, {2, 4, 4}),
            graph_of(format, graph::Concat{}, 2, {4, 4, 4}),
            graph_of(format, graph::Lookup{values}, 1, {2, 4, 4}),
            graph_of(format, graph::GlobalAverage{}, 1, {2, 1, 1}),
            graph_of(format, graph::MaxPool{{.kernel = {2, 2}}}, 1, {2, 3, 3})})
        for (const std::uint64_t pace : {0, 1, 2}) {
          SCOPED_TRACE(graph::to_text(g));
          const auto plan = pipeline_of(g, pace, where);
          if (!plan && where == In::luts) continue;
          ASSERT_TRUE(plan);
          ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, *plan, pace));
        }
}

// Of wide tensors sums come in the bits that they have, and with a sign: the table is for those.
TEST(PipelineIdentities, ATableBehindSumsOfAWideTensor) {
  for (const arith::Format wide : {arith::Format{12, false}, {16, false}, {12, true}, {9, true}}) {
    Graph g{.name = "w",
            .tensors = {{"x", {2, 3, 3}, {7, false}, 0, 0.0625F},
                        {"m", {2, 3, 3}, wide, 0, 0.0625F},
                        {"y", {2, 3, 3}, {8, true}, 0, 0.0625F}}};
    g.nodes.push_back(
        {"p", graph::Conv{.groups = 2, .weights = {1, 2}, .bias = {0, 0}, .scales = {1}}, {0}, 1});
    graph::Lookup table;
    for (int i = 0; i < 1 << wide.bits; ++i)
      table.values.push_back(static_cast<std::int16_t>(i * 37 % 255 - 127));
    g.nodes.push_back({"t", std::move(table), {1}, 2});
    g.input = 0;
    g.outputs = {2};
    graph::require_legal(g);
    SCOPED_TRACE(arith::to_string(wide));
    const auto plan = pipeline_of(g, 0);
    ASSERT_TRUE(plan);
    ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, *plan, 3));
  }
}

// Worked out by hand: 10^7 / 1024 is far above what 8 bits hold, so the channels are 255 and 0.
TEST(PipelineIdentities, BiasesFarPastTheResult) {
  Graph g{.name = "e",
          .tensors = {{"x", {2, 1, 1}, {8, false}, 0, 0.0625F},
                      {"y", {2, 1, 1}, {8, false}, 128, 0.0625F}}};
  g.nodes.push_back(
      {"k",
       graph::Conv{
           .weights = {1, 2, 3, 4}, .bias = {10'000'000, -10'000'000}, .scales = {0x1p-10F}},
       {0},
       1});
  g.input = 0;
  g.outputs = {1};
  const auto plan = pipeline_of(g, 0);
  ASSERT_TRUE(plan);
  ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, *plan, 1));
  const Netlist netlist(*plan);
  backends::NativeLanes lanes(netlist.design());
  std::vector<Host> one;
  const std::vector<std::int32_t> image{255, 255};
  one.emplace_back(*plan, image);
  play(one, *plan, lanes, {.patience = 10'000});
  EXPECT_THAT(one[0].results()[0], ::testing::ElementsAre(255, 0));
}

// Two machines that do not agree on a stream: no netlist, no model.
TEST(PipelineIdentities, AStreamThatIsNotWhatItsReaderTakesIsRefused) {
  PipelinePlan plan = *pipeline_of(some_graph(), 1);
  ASSERT_NO_THROW(require_contracts(plan));
  for (Box& b : plan.boxes) {
    if (b.sources[0] != Box::from_outside) continue;
    plan.inputs[0].format.bits += 1;
    EXPECT_THAT([&] { require_contracts(plan); },
                ::testing::ThrowsMessage<std::logic_error>(::testing::AllOf(
                    ::testing::StartsWith("in_data gives"), ::testing::HasSubstr(b.name))));
    EXPECT_THROW(PipelineModel{plan}, std::logic_error);
    EXPECT_THROW(Netlist{plan}, std::logic_error);
    return;
  }
  FAIL() << "no machine reads the input";
}

}  // namespace kumiki::gen::pipeline::identity_test
