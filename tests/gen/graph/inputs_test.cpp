// SPDX-License-Identifier: Apache-2.0
// Graphs with several inputs.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/graph/picture.h"
#include "gen/graph/quantise.h"
#include "gen/graph/text.h"
#include "gen/layers/pipeline/streamed.h"
#include "ir/error.h"

namespace kumiki::gen::graph::inputs_test {
namespace {

using testing::ElementsAre;

const std::string two =
    "graph g\ntensor x s8 2 scale 0x1p-1 zero 0\ntensor z u4 2 scale 0x1p+0 zero 3\n"
    "tensor y s8 2 scale 0x1p-1 zero 0\ninput x\nprepare minus 0x1p+0\ninput z\n"
    "prepare times 0x1p+1\noutput y\nadd a x z -> y\n";

TEST(Inputs, EachHasItsNumbersInAnImage) {
  const Graph g = parse_graph("g", two);
  EXPECT_EQ(to_text(g), two);
  EXPECT_EQ(all_inputs(g), (std::vector<TensorId>{0, 1}));
  EXPECT_EQ(numbers_of_image(g), 4U);
  // 0.5 * 6 + (5 - 3) = 5, and 0.5 * -2 + (1 - 3) = -3.
  EXPECT_THAT(Interpreter(g).run_all(std::vector<std::int32_t>{6, -2, 5, 1}, 2, 1),
              ElementsAre(10, -6));
  // Each input has its own steps before it is quantised.
  EXPECT_EQ(prepared(g, 1, 3), 2);
  EXPECT_EQ(prepared(g, 2, 3), 6);
  EXPECT_THAT(network_text(g), testing::HasSubstr("a: add of x and z makes"));
}

TEST(Inputs, APipelineTakesThemInTheirOrder) {
  const Graph g = pipeline::streamed(parse_graph("g", two));
  std::vector<std::string> names;
  for (const TensorId id : all_inputs(g)) names.push_back(g.tensors[id].name);
  EXPECT_THAT(names, ElementsAre("x", "z"));
}

// Rows of a table of three, from either end of it.
const std::string words =
    "graph g\ntensor x s3 2 scale 0x1p+0 zero 0\ntensor y s8 2x2 scale 0x1p-1 zero 0\n"
    "input x\noutput y\nembed e x -> y size 2\n  vectors 1 2 3 4 5 -6\n";

TEST(Inputs, IndicesPickVectors) {
  const Graph g = parse_graph("g", words);
  EXPECT_EQ(to_text(g), words);
  EXPECT_EQ(numbers_of_input(g, 0), (arith::Interval{-3, 2}));
  EXPECT_EQ(reached_numbers(g)[1], (arith::Interval{-6, 5}));
  const Interpreter network(g);
  EXPECT_THAT(network.run_all(std::vector<std::int32_t>{0, 2, -1, -3}, 1, 1),
              ElementsAre(1, 2, 5, -6, 5, -6, 1, 2));
  for (const std::int32_t index : {3, -4}) {
    try {
      network.run_all(std::vector<std::int32_t>{0, 0, 0, index}, 1, 1);
      FAIL() << "must be refused";
    } catch (const DesignError& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("image 1, number 1 is " + std::to_string(index) +
                                               ", but the input x holds [-3, 2]"));
    }
  }
}

TEST(Inputs, WhatIsWrong) {
  const auto broken = [](const std::function<void(Graph&)>& by) {
    Graph g = parse_graph("g", two);
    by(g);
    std::string text;
    for (const Finding& f : check(g)) text += f.where + " " + f.message;
    return text;
  };
  EXPECT_EQ(broken([](Graph&) {}), "");
  EXPECT_EQ(broken([](Graph& g) { g.more_inputs = {7}; }),
            "graph g has an input that is not a tensor");
  EXPECT_EQ(broken([](Graph& g) { g.more_inputs = {1, 1}; }), "graph g has the input z twice");
  EXPECT_EQ(broken([](Graph& g) { g.preparation[0].input = 2; }),
            "graph g prepares input 2, which does not exist");
  const Graph g = parse_graph("g", two);
  const Interpreter network(g);
  const auto said = [&](std::vector<std::int32_t> image) {
    try {
      network.run_all(image, 2, 1);
    } catch (const DesignError& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(said({0, 0, 0}),
              testing::HasSubstr("an image of 3 numbers: the input x is 2 and z is 2, 4 numbers"));
  EXPECT_THAT(said({0, 0, 16, 0}),
              testing::HasSubstr("image 0, number 0 is 16, but the input z holds [0, 15]"));
}

}  // namespace
}  // namespace kumiki::gen::graph::inputs_test
