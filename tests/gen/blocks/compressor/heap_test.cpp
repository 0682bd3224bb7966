// SPDX-License-Identifier: Apache-2.0
// What a heap adds, against integers: signs, constants, products, forms of bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/blocks/compressor/solver/solve.h"
#include "tests/gen/blocks/compressor/support.h"

namespace kumiki::gen::compressor {
namespace compressor_heap_test {

using ::testing::ElementsAre;

std::int64_t field(std::uint64_t x, unsigned low, unsigned width, bool is_signed) {
  std::uint64_t v = x >> low & ((1ull << width) - 1);
  if (is_signed && (v >> (width - 1) & 1)) v -= 1ull << width;
  return static_cast<std::int64_t>(v);
}

// The shape of what `fill` makes, solved with little effort.
TreePlan plan_for(unsigned inputs, unsigned width, const HeapCircuit::Fill& fill,
                  Finish finish = Finish::row) {
  Builder builder;
  Scope s(builder, builder.design().add_module("shape"));
  Heap heap(width);
  fill(heap, s.input<UInt>("x", inputs));
  return solve({.shape = heap.shape(), .finish = finish}, {.effort = 0});
}

struct Sum {
  const char* name;
  unsigned inputs, width;
  HeapCircuit::Fill fill;
  std::function<std::int64_t(std::uint64_t)> value;
};

SInt as_int(const UInt& w) { return as_signed(w); }

std::vector<Sum> sums() {
  return {
      {"unsigned words", 12, 6,
       [](Heap& h, const UInt& x) {
         for (unsigned i = 0; i < 3; ++i) h.add(x.slice(4 * i, 4));
       },
       [](auto x) {
         return field(x, 0, 4, false) + field(x, 4, 4, false) + field(x, 8, 4, false);
       }},
      {"signed words at columns", 12, 9,
       [](Heap& h, const UInt& x) {
         h.add(as_int(x.slice(0, 5)), 2);
         h.add(as_int(x.slice(5, 7)));
       },
       [](auto x) { return 4 * field(x, 0, 5, true) + field(x, 5, 7, true); }},
      {"signed, unsigned, differences", 14, 8,
       [](Heap& h, const UInt& x) {
         h.add(as_int(x.slice(0, 4)), 1);
         h.subtract(x.slice(4, 5));
         h.subtract(as_int(x.slice(9, 5)));
         h.add_constant(-37);
       },
       [](auto x) {
         return 2 * field(x, 0, 4, true) - field(x, 4, 5, false) - field(x, 9, 5, true) - 37;
       }},
      {"unsigned product", 9, 9,
       [](Heap& h, const UInt& x) { h.add_product(x.slice(0, 4), x.slice(4, 5)); },
       [](auto x) { return field(x, 0, 4, false) * field(x, 4, 5, false); }},
      {"signed product and word", 14, 11,
       [](Heap& h, const UInt& x) {
         h.add_product(as_int(x.slice(0, 5)), as_int(x.slice(5, 5)));
         h.add(x.slice(10, 4), 1);
       },
       [](auto x) {
         return field(x, 0, 5, true) * field(x, 5, 5, true) + 2 * field(x, 10, 4, false);
       }},
      {"square", 6, 12, [](Heap& h, const UInt& x) { h.add_product(x, x); },
       [](auto x) { return static_cast<std::int64_t>(x * x); }},
      {"multiples", 12, 14,
       [](Heap& h, const UInt& x) {
         h.add_scaled(as_int(x.slice(0, 6)), -119);
         h.add_scaled(x.slice(6, 6), 87);
       },
       [](auto x) { return -119 * field(x, 0, 6, true) + 87 * field(x, 6, 6, false); }},
      {"forms of bits", 12, 4,
       [](Heap& h, const UInt& x) {
         using enum Bit::Form;
         h.add(0, Bit{xnor_, x[0], x[1]});
         h.add(0, Bit{xor_, x[2], x[3]});
         h.add(0, Bit{and_, x[4], x[5]});
         h.add(0, Bit{nand_, x[6], x[7]});
         h.add(1, Bit{inverted, x[8]});
         h.add(1, Bit{xnor_, x[9], ir::net_one});
         h.add(0, Bit{xor_, x[10], x[10]});
         h.add(0, Bit{nand_, x[11], x[11]});
         h.add(0, ir::net_one);
       },
       [](auto x) {
         auto b = [&](unsigned i) { return static_cast<int>(x >> i & 1); };
         return std::int64_t{(b(0) == b(1)) + (b(2) != b(3)) + (b(4) & b(5)) + !(b(6) & b(7)) +
                             2 * !b(8) + 2 * b(9) + !b(11) + 1};
       }},
  };
}

class EverySum : public ::testing::TestWithParam<std::tuple<std::size_t, ir::Family>> {};

TEST_P(EverySum, IsExactForEveryInput) {
  auto [number, family] = GetParam();
  const Sum sum = sums()[number];
  for (Finish finish : {Finish::row, Finish::ternary}) {
    TreePlan plan = plan_for(sum.inputs, sum.width, sum.fill, finish);
    HeapCircuit circuit(sum.inputs, sum.width, sum.fill, plan, family);
    const std::uint64_t mask = (1ull << sum.width) - 1;
    circuit.for_all([&](std::uint64_t x, std::uint64_t y) {
      EXPECT_EQ(y, static_cast<std::uint64_t>(sum.value(x)) & mask) << sum.name << " x = " << x;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Heap, EverySum,
                         ::testing::Combine(::testing::Range<std::size_t>(0, 8),
                                            ::testing::Values(ir::Family::series7,
                                                              ir::Family::ultrascale_plus)));

TEST(Heap, ConstantsAreOneNumber) {
  Heap h(4);
  for (int i = 0; i < 5; ++i) h.add(0, ir::net_one);
  EXPECT_EQ(h.shape(), (Shape{{1, 0, 1, 0}, {0, 0, 0, 0}}));
  h.add_constant(-5);
  EXPECT_EQ(h.shape().total(), 0u);
  h.add(9, ir::net_one);  // above the top column
  EXPECT_EQ(h.shape().total(), 0u);
}

TEST(Heap, CanonicalSignedDigits) {
  EXPECT_THAT(signed_digits(7), ElementsAre(-1, 0, 0, 1));
  EXPECT_THAT(signed_digits(-3), ElementsAre(1, 0, -1));
  EXPECT_TRUE(signed_digits(0).empty());
  for (std::int64_t v = -300; v <= 300; ++v) {
    std::int64_t sum = 0, weight = 1;
    int before = 0;
    for (int d : signed_digits(v)) {
      EXPECT_TRUE(d == 0 || before == 0) << v;
      sum += d * weight;
      weight *= 2;
      before = d;
    }
    EXPECT_EQ(sum, v);
  }
}

}  // namespace compressor_heap_test
}  // namespace kumiki::gen::compressor
