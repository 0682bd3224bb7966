// SPDX-License-Identifier: Apache-2.0
// Sums and maxima of maps, with vector instructions and without, beside their definition.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "gen/kernels/add.h"
#include "gen/kernels/fused.h"
#include "gen/kernels/instructions.h"
#include "gen/operators/add/meaning.h"
#include "gen/operators/max_pool/meaning.h"
#include "tests/support/seed.h"

namespace kumiki::gen::kernels::elementwise_test {
namespace {

using graph::Ends;
using graph::Numbers;
using graph::Tensor;

Numbers computed(const graph::Compute& compute, const graph::Inputs& inputs, std::size_t size,
                 unsigned threads) {
  Workers workers(threads);
  Numbers results(size, 12345);
  compute(inputs, results, workers);
  return results;
}

// All pairs of bytes, and one number more than whole vectors.
TEST(AddKernel, EveryPairOfBytesIsTheirDefinition) {
  std::mt19937_64 random(test::rotating_seed());
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  for (int i = 0; i < 40; ++i) {
    Tensor of[3];
    for (Tensor& t : of) {
      t.shape = {65537};
      t.format = {8, i % 2 == 0};
      t.zero_point = number(0, 255) + graph::lowest(t);
      t.scale = i % 4 == 0 ? 0x1p-4F : static_cast<float>(number(1, 1000)) * 0x1p-12F;
    }
    Numbers a, b, wanted;
    for (int p = 0; p <= 65536; ++p) {
      a.push_back(graph::lowest(of[0]) + p % 256);
      b.push_back(graph::lowest(of[1]) + p / 256 % 256);
      wanted.push_back(graph::added(of[0], of[1], of[2], a.back(), b.back()));
    }
    const Ends ends{{&of[0], &of[1]}, &of[2]};
    for (const auto& compute : {computer(graph::Add{}, ends), plain_computer(graph::Add{}, ends)}) {
      EXPECT_EQ(computed(compute, {a, b}, a.size(), 1), wanted);
      EXPECT_EQ(computed(compute, {a, b}, a.size(), 3), wanted);
    }
  }
}

// More channels than a block, and a number more than whole vectors.
TEST(FusedKernel, SumsAreTheirDefinition) {
  std::mt19937_64 random(test::rotating_seed());
  std::normal_distribution<float> real;
  for (const std::size_t count : {1, 7, 8, 9, 33})
    for (const std::size_t channels : {1, 5, 12}) {
      std::vector<float> x(channels * count), weights(channels * 3), sums(count), wanted(count);
      for (auto* numbers : {&x, &weights})
        for (float& n : *numbers) n = real(random);
      const FusedSum sum{weights.data() + 1, 3, channels, 4};
      fused_sums(sum, x.data(), sums);
      plain_fused_sums(sum, x.data(), wanted);
      EXPECT_EQ(sums, wanted) << count << " of " << channels;
    }
  // (1 + 2^-13) (1 - 2^-13) is rounded after it is added, but not across blocks.
  const float near[] = {1 - 0x1p-13F, -1}, weights[] = {1 + 0x1p-13F, 1};
  for (const auto of_one : {fused_sums, plain_fused_sums}) {
    std::vector<float> sum(1);
    const float turned[] = {near[1], near[0]}, of_turned[] = {weights[1], weights[0]};
    of_one({of_turned, 1, 2, 2}, turned, sum);
    EXPECT_EQ(sum[0], -0x1p-26F);
    of_one({of_turned, 1, 2, 1}, turned, sum);
    EXPECT_EQ(sum[0], 0);
  }
}

TEST(AddKernel, NumbersOf16BitsAreTheirDefinition) {
  std::mt19937_64 random(2);
  for (const int bits : {12, 16, 20, 32}) {
    Tensor of[3];
    for (Tensor& t : of) t = {.name = "t", .shape = {1001}, .format = {bits, true}, .scale = 0.3F};
    of[1].scale = 0.007F;
    Numbers a, b, wanted;
    for (int i = 0; i < 1001; ++i) {
      for (Numbers* n : {&a, &b}) n->push_back(static_cast<std::int32_t>(random()) >> (32 - bits));
      wanted.push_back(graph::added(of[0], of[1], of[2], a.back(), b.back()));
    }
    const Ends ends{{&of[0], &of[1]}, &of[2]};
    EXPECT_EQ(computed(computer(graph::Add{}, ends), {a, b}, 1001, 2), wanted) << bits;
    EXPECT_EQ(computed(plain_computer(graph::Add{}, ends), {a, b}, 1001, 1), wanted) << bits;
  }
}

// Numbers of up to 24 bits are float32 numbers.
TEST(AddKernel, IsTakenWhereItCan) {
  EXPECT_EQ(fast_addition({.range = {-(1 << 23), (1 << 23) - 1}}) != nullptr, has_avx2());
  EXPECT_EQ(fast_addition({.range = {-(1 << 23), 1 << 23}}), nullptr);
}

TEST(MaxPoolKernel, RandomShapesAreTheirDefinition) {
  std::mt19937_64 random(test::rotating_seed());
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  int compared = 0;
  while (compared < 200) {
    graph::MaxPool op;
    Tensor in{.name = "x", .shape = {number(1, 5), number(1, 14), number(1, 40)}}, out = in;
    bool is_valid = true;
    for (const int axis : {0, 1}) {
      const auto a = std::size_t(axis);
      graph::Window& w = op.window;
      w.kernel[a] = number(1, 5);
      w.stride[a] = number(1, 4);
      w.dilation[a] = number(1, 2);
      w.before[a] = number(0, w.kernel[a] - 1);
      w.after[a] = number(0, w.kernel[a] - 1);
      const int length = in.shape[a + 1];
      is_valid = is_valid && w.reach(axis) <= length + w.before[a] + w.after[a] &&
                 !w.sees_nothing(axis, length);
      if (is_valid) out.shape[a + 1] = w.positions(axis, length);
    }
    if (!is_valid) continue;
    ++compared;
    Numbers map, wanted;
    for (std::size_t i = 0; i < graph::count(in.shape); ++i) map.push_back(number(-128, 127));
    for (int channel = 0; channel < out.shape[0]; ++channel)
      for (int row = 0; row < out.shape[1]; ++row)
        for (int column = 0; column < out.shape[2]; ++column) {
          std::int32_t most = std::numeric_limits<std::int32_t>::min();
          for_taps(op.window, in.shape, row, column, [&](int r, int k) {
            most = std::max(most, map[std::size_t((channel * in.shape[1] + r) * in.shape[2] + k)]);
          });
          wanted.push_back(most);
        }
    const graph::Compute compute = computer(op, Ends{{&in}, &out});
    EXPECT_EQ(computed(compute, {map}, wanted.size(), 1), wanted);
    EXPECT_EQ(computed(compute, {map}, wanted.size(), 3), wanted);
  }
}

TEST(Workers, EveryPartIsDoneOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    EXPECT_EQ(workers.count(), threads);
    for (const std::size_t parts : {0U, 1U, 2U, 1000U})
      for (int round = 0; round < 20; ++round) {
        std::vector<std::atomic<int>> done(parts);
        std::vector<std::atomic<bool>> busy(threads);
        workers.for_each(parts, [&](std::size_t part, unsigned worker) {
          EXPECT_FALSE(busy.at(worker).exchange(true));
          ++done[part];
          busy[worker] = false;
        });
        EXPECT_TRUE(std::ranges::all_of(done, [](const auto& n) { return n == 1; }));
      }
  }
}

TEST(Workers, MemoryIsAlignedAndGrows) {
  Workers workers;
  for (const std::size_t numbers : {1U, 1000U, 10U, 100'000U}) {
    std::int32_t* memory = workers.memory(numbers);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
    std::fill_n(memory, numbers, 1);
  }
  EXPECT_EQ(workers.memory(10), workers.memory(100'000));
}

}  // namespace
}  // namespace kumiki::gen::kernels::elementwise_test
