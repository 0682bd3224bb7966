// SPDX-License-Identifier: Apache-2.0
// Products in LUTs: every pair of operands of every small shape and all of INT8, corners of the
// wide ones, figures and refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/native/machine.h"
#include "gen/config/document.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/catalog.h"
#include "gen/layers/lut_macc/build.h"
#include "ir/check.h"
#include "ir/resources.h"
#include "tests/support/golden.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::lut_macc {
namespace lut_macc_lut_macc_test {

std::int64_t value(std::uint64_t raw, const Operand& o) {
  const auto half = std::int64_t{1} << (o.bits - 1);
  const auto v = static_cast<std::int64_t>(raw);
  return o.is_signed && v >= half ? v - 2 * half : v;
}

// No bit more than the largest sum has.
TEST(LutMacc, WordsAreAsWideAsTheirLargestNumber) {
  const Operand bit{.bits = 1, .is_signed = false};
  EXPECT_EQ(plan({.terms = 1, .a = bit, .b = bit})->sum_bits, 1);
  EXPECT_EQ(plan({.terms = 3, .a = bit, .b = bit})->sum_bits, 2);
  EXPECT_EQ(plan({.terms = 4, .a = bit, .b = bit})->sum_bits, 3);
}

// One product after the other through the netlist, in every clock one.
void expect_products(const Request& request, const std::vector<std::uint64_t>& as,
                     const std::vector<std::uint64_t>& bs) {
  const Plan p = *plan(request);
  Builder builder;
  build_top(builder, build, p, p.input_shape());
  ASSERT_TRUE(ir::check(builder.design(), {.warnings = false}).empty());
  backends::NativeMachine machine(builder.design());
  machine.power_up();
  MaccIn<Values> in{.rst = false, .en = true, .in_valid = true, .a = {0}, .b = {0}};
  MaccOut<Values> out;
  ir::Frame frame, got;
  std::vector<std::int64_t> expected;
  const auto mask = (std::uint64_t{1} << p.sum_bits) - 1;
  const auto latency = static_cast<std::size_t>(p.latency());
  const std::size_t count = as.size() * bs.size();
  for (std::size_t k = 0; k < count + latency; ++k) {
    if (k < count) in.a[0] = as[k / bs.size()], in.b[0] = bs[k % bs.size()];
    pack(p.input_shape(), in, frame);
    machine.step(frame, got);
    unpack(p.output_shape(), got, out);
    ASSERT_EQ(out.out_valid, k >= latency);
    expected.push_back(value(in.a[0], request.a) * value(in.b[0], request.b));
    if (!out.out_valid) continue;
    const std::int64_t want = expected[k - latency];
    ASSERT_TRUE(p.product.contains(want));
    ASSERT_EQ(out.sum, static_cast<std::uint64_t>(want) & mask)
        << p.module_name() << " " << k - latency;
  }
}

std::vector<std::uint64_t> everything(int bits) {
  std::vector<std::uint64_t> all(std::size_t{1} << bits);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  return all;
}

TEST(LutMacc, EveryProductOfEverySmallShape) {
  for (int a = 1; a <= 5; ++a)
    for (int b = 1; b <= 5; ++b)
      for (const bool a_signed : {false, true})
        for (const bool b_signed : {false, true})
          for (const int rows : {1, 2, 3}) {
            expect_products({.a = {a, a_signed}, .b = {b, b_signed}, .rows_per_stage = rows},
                            everything(a), everything(b));
            if (HasFatalFailure()) return;
          }
}

TEST(LutMacc, EveryProductOfEightBits) {
  for (const bool a_signed : {false, true})
    for (const bool b_signed : {false, true}) {
      expect_products({.a = {8, a_signed}, .b = {8, b_signed}}, everything(8), everything(8));
      if (HasFatalFailure()) return;
    }
}

TEST(LutMacc, CornersOfWideOperands) {
  const auto corners = [](int bits) {
    std::vector<std::uint64_t> some;
    const std::uint64_t end = std::uint64_t{1} << bits;
    for (const std::uint64_t middle : {end, end / 2, end / 3, end / 4, 2 * end / 3})
      for (std::uint64_t d = 0; d < 5; ++d) some.push_back((middle + d + end - 2) % end);
    return some;
  };
  for (const auto& [a, b] : {std::pair{27, 18}, {18, 27}, {9, 8}, {4, 16}, {27, 27}, {1, 27}})
    for (const bool a_signed : {false, true})
      for (const bool b_signed : {false, true}) {
        expect_products({.a = {a, a_signed}, .b = {b, b_signed}, .rows_per_stage = 4}, corners(a),
                        corners(b));
        if (HasFatalFailure()) return;
      }
}

// Four rows of ten carry positions, a LUT each: what the netlist of one INT8 product takes.
TEST(LutMacc, FiguresOfAnInt8Product) {
  const Plan p = *plan({});
  EXPECT_EQ(p.rows, 4);
  EXPECT_EQ(p.product_positions(), 40);
  EXPECT_EQ(p.product_bits, 16);
  EXPECT_EQ(p.latency(), 4);
  Builder builder;
  build_top(builder, build, p, p.input_shape());
  const auto total = ir::count_resources(builder.design()).total;
  EXPECT_EQ(total.dsps, 0u);
  EXPECT_EQ(total.luts, 40u);
  EXPECT_EQ(total.lut_rams, 0u);
  EXPECT_EQ(plan({.rows_per_stage = 2})->latency(), 2);
  // The sum has 20 bits, in two parts.
  EXPECT_EQ(plan({.terms = 9})->latency(), 4 + 4 + 1);
  EXPECT_EQ(plan({.terms = 9, .sum = Sum::systolic})->latency(), 4 + 8 + 1);
  // The narrow operand gives the digits.
  EXPECT_TRUE(plan({.a = {4, true}, .b = {16, true}})->recode_a);
  EXPECT_FALSE(plan({.a = {16, true}, .b = {4, true}})->recode_a);
}

TEST(LutMacc, PlanAsText) {
  test::expect_golden("lut_macc/plan.txt", to_text(*plan({.terms = 64})) + "\n" +
                                               to_text(*plan({.terms = 7,
                                                              .a = {9, false},
                                                              .b = {4, true},
                                                              .sum = Sum::systolic,
                                                              .rows_per_stage = 2})));
}

std::string refusal(const std::string& keys) {
  return test::refusal<std::exception>([&] {
    (void)config::parse_document(
        R"({"kumiki":1,"name":"n","layers":[{"type":"lut_macc","name":"m",)" + keys + "}]}",
        "cfg.json", registry());
  });
}

TEST(LutMacc, Refusals) {
  std::string all;
  for (const char* keys :
       {R"("terms":64)", R"("terms":0)", R"("terms":4097)", R"("a":{"bits":8})",
        R"("terms":4,"a":{"bits":28})", R"("terms":4,"b":{"bits":0})", R"("terms":4,"sum":"ring")",
        R"("terms":4096,"a":{"bits":27},"b":{"bits":27})", R"("terms":2,"rows_per_stage":0)"})
    all += std::string(keys) + "\n  " + refusal(keys) + "\n";
  test::expect_golden("lut_macc/refusals.txt", all);
  EXPECT_FALSE(plan({.terms = 4096, .a = {27, true}, .b = {27, true}}));
}

}  // namespace lut_macc_lut_macc_test
}  // namespace kumiki::gen::lut_macc
