// SPDX-License-Identifier: Apache-2.0
// Softmax and LayerNorm in integers beside their meaning in float32: how many of some millions of
// results differ. A result differs by one, and only near to a tie.
#include <cmath>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/graph.h"
#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "gen/operators/layer_norm/integers.h"
#include "gen/operators/softmax/integers.h"
#include "ir/error.h"

namespace kumiki::gen::graph::integers_test {
namespace {

using testing::HasSubstr;

Tensor tensor(std::string name, Shape shape, bool is_signed, float scale, int zero) {
  return {.name = std::move(name),
          .shape = std::move(shape),
          .format = {8, is_signed},
          .zero_point = zero,
          .scale = scale};
}

Graph graph_of(Operator op, Tensor in, Tensor out) {
  return {.name = "one",
          .tensors = {std::move(in), std::move(out)},
          .nodes = {{.name = "n", .op = std::move(op), .inputs = {0}, .output = 1}},
          .outputs = {1}};
}

struct Count {
  std::int64_t all = 0, differ = 0, most = 0;
};

// As logits and activations are distributed: around a mean, with a spread of its own a pixel.
Numbers numbers_of(const Tensor& t, std::mt19937_64& random) {
  const std::size_t pixels = count(t.shape) / static_cast<std::size_t>(t.shape[0]);
  Numbers all(count(t.shape));
  const auto lo = static_cast<double>(static_cast<std::int64_t>(t.format.range().lo));
  for (std::size_t p = 0; p < pixels; ++p) {
    std::normal_distribution<double> values(lo + 128, std::exp2(static_cast<double>(p % 7)));
    for (std::size_t i = p; i < all.size(); i += pixels)
      all[i] = static_cast<std::int32_t>(
          std::min(lo + 255, std::max(lo, std::nearbyint(values(random)))));
  }
  return all;
}

// The results of both meanings for so many random images.
template <class Op>
Count differences(Op op, const Tensor& in, const Tensor& out, int images, std::uint64_t seed) {
  op.integers = 0;
  const Graph real = graph_of(op, in, out);
  op.integers = 1;
  const Graph integers = graph_of(op, in, out);
  EXPECT_TRUE(check(integers).empty());
  const Interpreter of_reals(real), of_integers(integers);
  std::mt19937_64 random(seed);
  Count found;
  for (int i = 0; i < images; ++i) {
    Interpreter::Memory a(2), b(2);
    a[0] = b[0] = numbers_of(in, random);
    of_reals.run_node(0, a);
    of_integers.run_node(0, b);
    for (std::size_t k = 0; k < a[1].size(); ++k) {
      const std::int64_t distance = std::abs(a[1][k] - b[1][k]);
      ++found.all;
      found.differ += distance != 0 ? 1 : 0;
      found.most = std::max(found.most, distance);
    }
  }
  return found;
}

TEST(Integers, SoftmaxIsThatOfFloat32ButNearTies) {
  Count all;
  std::uint64_t seed = 0;
  for (const float scale : {0.3F, 0.0617F, 0.0193F, 0.11F})
    for (const bool is_signed : {false, true})
      for (const int size : {197, 64, 1000}) {
        const Tensor in = tensor("x", {size, 1, 197}, is_signed, scale, is_signed ? 3 : 117);
        ++seed;
        const Tensor out = tensor("y", in.shape, is_signed, 1.0F / (seed % 2 == 0 ? 256 : 255),
                                  is_signed ? -128 : 0);
        const Count one = differences(Softmax{}, in, out, 2, seed);
        all = {all.all + one.all, all.differ + one.differ, std::max(all.most, one.most)};
      }
  std::printf("softmax: %ld of %ld results differ\n", static_cast<long>(all.differ),
              static_cast<long>(all.all));
  EXPECT_LE(all.most, 1);
  EXPECT_GT(all.all, 3'000'000);
  EXPECT_LE(all.differ * 1'000'000, 20 * all.all);
}

TEST(Integers, LayerNormIsThatOfFloat32ButNearTies) {
  Count all;
  std::uint64_t seed = 0;
  for (const float scale : {0.3F, 0.0193F, 0.011F})
    for (const bool is_signed : {false, true})
      for (const int size : {8, 192, 768, 1024}) {
        std::mt19937_64 random(++seed);
        std::normal_distribution<float> values(0, 1);
        LayerNorm op{.epsilon = seed % 2 == 0 ? 1e-5F : 1e-12F, .factors = {}, .biases = {}};
        for (int c = 0; c < size; ++c) {
          op.factors.push_back(0.6F + 0.2F * values(random));
          if (seed % 3 != 0) op.biases.push_back(0.3F * values(random));
        }
        const Tensor in = tensor("x", {size, 1, 197}, is_signed, scale, is_signed ? 3 : 117);
        const Tensor out = tensor("y", in.shape, is_signed, 0.0231F, 5);
        const Count one = differences(op, in, out, size == 8 ? 20 : 2, seed);
        all = {all.all + one.all, all.differ + one.differ, std::max(all.most, one.most)};
      }
  std::printf("layer_norm: %ld of %ld results differ\n", static_cast<long>(all.differ),
              static_cast<long>(all.all));
  EXPECT_LE(all.most, 1);
  EXPECT_GT(all.all, 3'000'000);
  EXPECT_LE(all.differ * 1'000'000, 20 * all.all);
}

// The distance to the exact real number that is rounded, in steps of the result.
TEST(Integers, RoundingsMoveAResultByLessThanTwoToTheMinus16) {
  std::mt19937_64 random(1);
  double most = 0;
  for (const int size : {8, 24, 192, 768, 1024})
    for (const float scale : {0.3F, 0.011F}) {
      const Tensor in = tensor("x", {size, 1, 1}, true, scale, 0),
                   out = tensor("y", in.shape, true, 0.0231F, 0);
      LayerNorm op{.epsilon = 1e-5F,
                   .factors = std::vector(static_cast<std::size_t>(size), 0.7F),
                   .integers = 1};
      const NormIntegers all = integers_of(op, in, out);
      for (int spread = 0; spread < 7; ++spread)
        for (int turn = 0; turn < 20; ++turn) {
          std::normal_distribution<double> values(0, std::exp2(spread));
          std::vector<std::int64_t> q;
          std::int64_t sum = 0, squares = 0;
          for (int i = 0; i < size; ++i) {
            q.push_back(std::llround(std::min(127.0, std::max(-128.0, values(random)))));
            sum += q.back();
            squares += q.back() * q.back();
          }
          const NormIntegers::Root root = all.root(sum, squares);
          const double n = size, mean = double(sum) / n;
          const double epsilon = double{op.epsilon} / scale / scale;
          const double deviation = std::sqrt((double(squares) - double(sum) * mean) / n + epsilon);
          for (std::size_t i = 0; i < q.size(); ++i) {
            const double exact =
                (double(q[i]) - mean) / deviation * double{op.factors[i]} / double{out.scale};
            if (std::abs(exact) > 128) continue;
            // Without the last rounding.
            const std::int64_t d = (size * q[i] - sum) << (root.shift + all.more_shift);
            const double made =
                std::ldexp(double((d * root.root) >> 17) * double(all.factors[i]), -17 - all.shift);
            most = std::max(most, std::abs(made - exact));
          }
        }
    }
  std::printf("layer_norm: at most 2^%.1f of a step\n", std::log2(most));
  EXPECT_LT(most, std::ldexp(1, -16));
}

// Every index and the ends of its line.
TEST(Integers, ReciprocalRootsHave23Bits) {
  NormIntegers all{.size = 1, .epsilon = 0, .most_shift = 0, .factors = {}, .biases = {}};
  const auto root_of = [&](std::int64_t w) {
    all.epsilon = w << (NormIntegers::sum_bits - NormIntegers::w_bits);
    return all.root(0, 0).root;
  };
  for (std::int64_t i = 128; i < 512; ++i)
    for (std::int64_t low = 0; low < 1 << NormIntegers::part_bits; low += 1 << 9)
      for (const std::int64_t w :
           {(i << NormIntegers::part_bits) + low, (i << NormIntegers::part_bits) + low + 511}) {
        const double exact = std::exp2(25) / std::sqrt(std::ldexp(double(w), -24));
        ASSERT_NEAR(double(root_of(w)), exact, 0.6) << w;
      }
  EXPECT_EQ(root_of((1 << 24) - 1), 0);
}

std::string said(const Operator& op, const Tensor& in, const Tensor& out) {
  const auto findings = check(graph_of(op, in, out));
  return findings.empty() ? "" : findings[0].message;
}

TEST(Integers, Refusals) {
  const Tensor x = tensor("x", {8, 1, 1}, false, 0.1F, 0);
  const auto y = [&](float scale) { return tensor("y", x.shape, false, scale, 0); };
  EXPECT_THAT(said(Softmax{.integers = 2}, x, y(0.1F)), HasSubstr("has integers 2"));
  EXPECT_THAT(said(Softmax{.integers = 1}, x, y(0.001F)), HasSubstr("must be from 1/256 to 1"));
  LayerNorm op{.factors = std::vector(8, 1.0F), .integers = 1};
  EXPECT_EQ(said(op, x, y(0.1F)), "");
  op.averages = 1;
  EXPECT_THAT(said(op, x, tensor("y", {8}, false, 1, 0)), HasSubstr("must be computed in float32"));
  op.averages = 0;
  op.epsilon = 1e12F;
  EXPECT_THAT(said(op, x, y(0.1F)), HasSubstr("need a smaller epsilon"));
  op.epsilon = 1e-5F;
  EXPECT_THAT(said(op, x, y(1e-8F)), HasSubstr("need a larger scale"));
  op.factors.resize(1032, 1.0F);
  const Tensor wide = tensor("x", {1032, 1, 1}, false, 0.1F, 0);
  EXPECT_THAT(said(op, wide, tensor("y", wide.shape, false, 0.1F, 0)),
              HasSubstr("they must be at most 1024"));
}

TEST(Integers, AreAWordOfTheText) {
  const Graph g = parse_graph(
      "g",
      "graph g\ntensor x u8 8x1x2 scale 0x1p-3 zero 3\ntensor y u8 8x1x2 scale 0x1p-8 zero 0\n"
      "tensor z u8 8x1x2 scale 0x1p-3 zero 3\ninput x\noutput y\noutput z\n"
      "softmax s x -> y groups 2 integers 1\n"
      "layer_norm l x -> z epsilon 0x1p-10 integers 1\n  factors 1 1 1 1 1 1 1 1\n");
  EXPECT_EQ(parse_graph("again", to_text(g)), g);
  EXPECT_EQ(std::get<Softmax>(g.nodes[0].op).integers, 1);
  EXPECT_EQ(std::get<LayerNorm>(g.nodes[1].op).integers, 1);
}

}  // namespace
}  // namespace kumiki::gen::graph::integers_test
