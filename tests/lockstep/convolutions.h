// SPDX-License-Identifier: Apache-2.0
// A convolution of a graph, and frames through a machine for it. The judge is the interpreter of
// graphs, whose sums have their bias and no zero point: what `sums_of` says that is lacking.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "tests/support/machine_frames.h"

namespace kumiki::gen::pipeline::convolution_test {

using graph::Graph;
using test::Numbers;
using Machines = std::vector<std::shared_ptr<const Machine>>;

struct Case {
  graph::Shape in{1, 1, 1};
  int out = 1;
  graph::Window window = {};
  int groups = 1;
  arith::Format numbers{8, true};
  int zero_point = 0;
  int weight_bits = 8;
  bool numbers_are_signs = false, weights_are_signs = false;  // -1 and 1 alone
  std::int64_t rows = 1, columns = 1, positions = 1, pixels = 1;
};

inline int pick(std::uint64_t& state, const arith::Interval& range) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  const std::uint64_t many = state >> 33;
  // The ends come often.
  if (many % 8 == 0) return static_cast<int>(range.lo);
  if (many % 8 == 1) return static_cast<int>(range.hi);
  return static_cast<int>(
      range.lo +
      static_cast<std::int64_t>(many / 8 % (static_cast<std::uint64_t>(range.span()) + 1)));
}

// A convolution whose sums stay sums.
inline Graph graph_of(const Case& c) {
  graph::Conv conv{.window = c.window, .groups = c.groups, .scales = {1}};
  std::uint64_t state = 7;
  const int count = c.out * c.in[0] / c.groups * c.window.kernel[0] * c.window.kernel[1];
  const arith::Interval range =
      c.weight_bits == 0 ? arith::Interval{} : arith::signed_range(c.weight_bits);
  for (int i = 0; i < count; ++i)
    conv.weights.push_back(static_cast<std::int16_t>(
        c.weights_are_signs ? 2 * pick(state, {0, 1}) - 1 : pick(state, range)));
  for (int i = 0; i < c.out; ++i) conv.bias.push_back(pick(state, {-1000, 1000}));
  const graph::Shape out{c.out, c.window.positions(0, c.in[1]), c.window.positions(1, c.in[2])};
  return {.name = "one",
          .tensors = {{"x", c.in, c.numbers, c.zero_point}, {"y", out, {32, true}}},
          .nodes = {{"conv", conv, {0}, 1}},
          .input = 0,
          .outputs = {1}};
}

inline Numbers image_of(const Case& c, std::uint64_t seed) {
  Numbers all(graph::count(c.in));
  for (auto& n : all)
    n = c.numbers_are_signs ? 2 * pick(seed, {0, 1}) - 1 : pick(seed, c.numbers.range());
  return all;
}

inline std::string name(const Case& c) {
  return fmt::format(
      "{} to {}, kernel {}, stride {}, dilation {}, padding {} {}, {} groups, {} rows of {} x {} "
      "of {}",
      fmt::join(c.in, "x"), c.out, fmt::join(c.window.kernel, "x"), fmt::join(c.window.stride, "x"),
      fmt::join(c.window.dilation, "x"), fmt::join(c.window.before, "x"),
      fmt::join(c.window.after, "x"), c.groups, c.rows, c.positions, c.columns, c.pixels);
}

// Sums in the order of pairs of pixels: tile after tile, in it pixel after pixel.
inline Numbers in_pairs(const Numbers& sums, const Stream& pairs) {
  const auto pixels = static_cast<std::size_t>(pairs.pixels()),
             tile = static_cast<std::size_t>(pairs.lanes) / 2;
  Numbers all;
  for (std::size_t channel = 0; channel < static_cast<std::size_t>(pairs.channels); ++channel)
    for (std::size_t pair = 0; pair < pixels; ++pair)
      all.push_back(sums[(channel / (2 * tile) * tile + channel % tile) * 2 * pixels + 2 * pair +
                         channel / tile % 2]);
  return all;
}

// Frames through a machine for it are what the interpreter says.
inline void expect_sums(const Case& c, const std::shared_ptr<const Machine>& made, bool netlist,
                        int frames = 3) {
  const Graph g = graph_of(c);
  const graph::Interpreter judge(g);
  const auto lacking = channels_of(g, g.nodes[0]);
  const auto pixels = static_cast<std::size_t>(c.pixels * made->output().pixels());
  std::vector<Numbers> images, wanted;
  for (int f = 0; f < frames; ++f) {
    images.push_back(image_of(c, static_cast<std::uint64_t>(f) + 1));
    graph::Interpreter::Memory memory;
    judge.run(images.back(), memory);
    Numbers& sums = wanted.emplace_back(memory[1]);
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] -= static_cast<std::int32_t>(lacking[i / pixels].bias);
    if (c.pixels == 2) sums = in_pairs(sums, made->output());
  }
  test::FrameRig rig(made);
  const auto run = netlist ? rig.netlist({images}) : rig.model({images});
  EXPECT_EQ(run.frames, wanted) << name(c) << (netlist ? " netlist" : " model");
}

}  // namespace kumiki::gen::pipeline::convolution_test
