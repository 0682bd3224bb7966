// SPDX-License-Identifier: Apache-2.0
// Random blocks of transformers, normalised in integers, as whole pipelines.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::transformer_test {
namespace {

// The block of a seed in integers; none if it averages what it normalises.
std::optional<graph::Graph> block_of(std::uint64_t seed) {
  graph::Graph g = test::RandomGraph(seed).of_tokens();
  for (graph::Node& n : g.nodes) {
    if (auto* softmax = std::get_if<graph::Softmax>(&n.op)) {
      softmax->integers = 1;
      float& scale = g.tensors[n.output].scale;
      scale = std::max(scale, 1.0F / graph::SoftmaxIntegers::most_factor);
    }
    if (auto* norm = std::get_if<graph::LayerNorm>(&n.op)) {
      if (norm->averages == 1) return std::nullopt;
      norm->integers = 1;
    }
  }
  graph::require_legal(g);
  return g;
}

TEST(PipelineTransformer, RandomBlocksAreAsDefined) {
  int made = 0;
  for (std::uint64_t seed = test::rotating_seed() * 1000; made < 3; ++seed) {
    const auto g = block_of(seed);
    if (!g) continue;
    SCOPED_TRACE(graph::to_text(*g));
    const auto plan = runs::pipeline_of(*g, seed);
    ASSERT_TRUE(plan);
    ++made;
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(*g, *plan, seed));
    ASSERT_NO_FATAL_FAILURE(runs::expect_pace(*g, *plan));
  }
}

}  // namespace
}  // namespace kumiki::gen::pipeline::transformer_test
