// SPDX-License-Identifier: Apache-2.0
// Products by the recoding of Booth, of every pair of factors, wide and narrow, signed or not.
#include <gtest/gtest.h>

#include "gen/blocks/compressor/booth.h"
#include "gen/blocks/compressor/options.h"
#include "tests/gen/blocks/compressor/support.h"

namespace kumiki::gen::compressor {
namespace booth_test {

struct Factors {
  unsigned a, b;
  bool is_signed;
};
void PrintTo(const Factors& f, std::ostream* to) {
  *to << f.a << "x" << f.b << (f.is_signed ? "s" : "u");
}

void add(Scope& s, Heap& heap, const UInt& x, const Factors& f) {
  const UInt a = x.slice(0, f.a), b = x.slice(f.a, f.b);
  if (f.is_signed)
    add_booth_product(s, heap, as_signed(a), as_signed(b));
  else
    add_booth_product(s, heap, a, b);
}

std::int64_t number(std::uint64_t bits, unsigned width, bool is_signed) {
  const std::int64_t value = static_cast<std::int64_t>(bits & ((1ull << width) - 1));
  return is_signed && value >> (width - 1) ? value - (std::int64_t{1} << width) : value;
}

class BoothProduct : public ::testing::TestWithParam<Factors> {};

TEST_P(BoothProduct, IsExactForAllFactors) {
  const Factors& f = GetParam();
  const unsigned width = f.a + f.b;
  Builder scratch;
  Scope shapes(scratch, scratch.design().add_module("shape"));
  Heap heap(width);
  add(shapes, heap, shapes.input<UInt>("x", width), f);
  const TreePlan plan = plan_tree(heap.shape(), {.effort = 0});

  Builder builder(ir::Family::series7);
  ir::Module& m = builder.design().add_module("product");
  Scope s(builder, m);
  const UInt x = s.input<UInt>("x", width);
  Heap rows(width);
  add(s, rows, x, f);
  s.output("y", compress(s, rows, plan));
  s.finish();
  builder.design().set_top(m.id());
  backends::NativeSimulator simulator(builder.design());
  unsigned checked = 0;
  for (std::uint64_t base = 0; base < 1ull << width; base += 64) {
    std::array<std::uint64_t, 64> in, out;
    for (unsigned i = 0; i < 64; ++i) in[i] = (base + i) % (1ull << width);
    simulator.set_each(0, in);
    simulator.get_each(0, out);
    for (unsigned i = 0; i < 64; ++i, ++checked)
      ASSERT_EQ(number(out[i], width, f.is_signed),
                number(in[i], f.a, f.is_signed) * number(in[i] >> f.a, f.b, f.is_signed))
          << in[i];
  }
  EXPECT_GE(checked, 1u << width);
}

INSTANTIATE_TEST_SUITE_P(Booth, BoothProduct,
                         ::testing::Values(Factors{1, 1, false}, Factors{1, 1, true},
                                           Factors{2, 1, false}, Factors{3, 5, false},
                                           Factors{4, 5, true}, Factors{7, 2, true},
                                           Factors{8, 8, false}, Factors{8, 8, true}));

// Rows of an even width, signed, and one more for the bit above an unsigned factor.
TEST(BoothRows, AreHalfAsManyAsTheNarrowerFactorHasBits) {
  for (const bool is_signed : {false, true}) {
    Builder scratch;
    Scope s(scratch, scratch.design().add_module("shape"));
    Heap heap(28);
    add(s, heap, s.input<UInt>("x", 28), {16, 12, is_signed});
    const Shape shape = heap.shape();
    const unsigned rows = is_signed ? 6 : 7;
    EXPECT_LE(*std::ranges::max_element(shape.bits), rows + 2u);
    EXPECT_GE(shape.total(), rows * 17u);
    EXPECT_FALSE(shape.has_pairs());
  }
}

}  // namespace booth_test
}  // namespace kumiki::gen::compressor
