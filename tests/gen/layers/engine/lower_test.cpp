// SPDX-License-Identifier: Apache-2.0
// Operations of an engine compute every tensor of a network as its definition does.
#include "gen/layers/engine/lower.h"

#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/layers/engine/run.h"
#include "ir/error.h"
#include "tests/support/long_form.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine {
namespace {

// Every tensor after the last operation that makes a part of it, for random images. Returns how
// many numbers were compared.
std::size_t expect_as_defined(const Program& p, std::size_t images, std::uint64_t seed) {
  const graph::Graph& g = *p.graph;
  const graph::Interpreter definition(g);
  graph::Interpreter::Memory memory;
  const auto all = test::random_images(g, images, seed);
  const std::size_t size = graph::numbers_of_image(g);
  std::size_t compared = 0;
  std::map<std::size_t, std::size_t> made;  // by step
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    if (const auto* op = std::get_if<Op>(&p.steps[i])) {
      std::erase_if(made, [&](const auto& m) { return m.second == op->result; });
      made[i] = op->result;
    }
  for (std::size_t i = 0; i < images; ++i) {
    const auto image = std::span(all).subspan(i * size, size);
    definition.run(image, memory);
    const auto outputs = run(p, image, [&](std::size_t step, const Machine& m) {
      if (!made.contains(step)) return;
      const std::size_t id = made[step];
      const auto numbers = m.numbers(p.maps[id], g.tensors[id]);
      EXPECT_EQ(numbers, memory[id]) << g.name << ", step " << step << ", tensor " << id << " by "
                                     << g.nodes[std::get<Op>(p.steps[step]).nodes[0]].name;
      compared += numbers.size();
    });
    EXPECT_EQ(outputs.size(), g.outputs.size());
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      EXPECT_EQ(outputs[o], memory[g.outputs[o]]) << g.name << ", output " << o;
      compared += outputs[o].size();
    }
  }
  return compared;
}

constexpr EngineShape small{.rows = 4, .columns = 2, .places = 65536};

TEST(EngineProgram, RandomGraphsAreAsDefined) {
  const std::uint64_t seed = test::rotating_seed();
  std::size_t compared = 0, refused = 0;
  std::map<std::string, int> why;
  const int graphs = test::long_form() ? 3000 : 300;
  for (int i = 0; i < graphs; ++i) {
    const graph::Graph g = test::RandomGraph(seed * 100'000 + static_cast<std::uint64_t>(i)).made();
    try {
      compared += expect_as_defined(lower(g, small), 2, seed + static_cast<std::uint64_t>(i));
    } catch (const DesignError& e) {
      ++refused;
      const std::string text = e.what();
      ++why[text.substr(text.rfind(':'))];
    }
    ASSERT_FALSE(HasFailure()) << "graph " << i;
  }
  for (const auto& [text, count] : why) std::printf("%d %s\n", count, text.c_str());
  std::printf("%zu numbers, %zu of %d graphs refused\n", compared, refused, graphs);
  EXPECT_GT(compared, 1000u);
}

}  // namespace
}  // namespace kumiki::gen::engine
