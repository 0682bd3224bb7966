// SPDX-License-Identifier: Apache-2.0
// Truth tables: simplified, recognised, looked up; each against the bits of the table.
#include "backends/sim/native/lut_function.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "backends/sim/native/look_up.h"
#include "ir/primitive.h"

namespace kumiki::backends::native {
namespace native_lut_function_test {

// Values 0 and 1 are the constants, others get the bits of `assignment`.
bool evaluate(const LutFunction& f, std::uint64_t assignment) {
  unsigned index = 0;
  for (unsigned i = 0; i < f.inputs; ++i) {
    bool bit = f.in[i] < 2 ? f.in[i] == 1 : (assignment >> (f.in[i] - 2) & 1) != 0;
    index |= unsigned{bit} << i;
  }
  return f.table >> index & 1;
}

bool depends_on(const LutFunction& f, unsigned i) {
  for (unsigned index = 0; index < 1u << f.inputs; ++index)
    if ((f.table >> index & 1) != (f.table >> (index ^ 1u << i) & 1)) return true;
  return false;
}

void expect_reduced(const LutFunction& f) {
  auto r = reduce(f);
  std::set<std::uint32_t> values(r.in.begin(), r.in.begin() + r.inputs);
  ASSERT_EQ(values.size(), r.inputs);
  ASSERT_TRUE(values.empty() || *values.begin() >= 2);
  for (unsigned i = 0; i < r.inputs; ++i) ASSERT_TRUE(depends_on(r, i)) << std::hex << f.table;
  for (std::uint64_t assignment = 0; assignment < 64; ++assignment)
    ASSERT_EQ(evaluate(r, assignment), evaluate(f, assignment)) << std::hex << f.table;
}

TEST(LutFunction, ReducesEverySmallFunctionOfConstantsAndRepeatedValues) {
  for (unsigned inputs = 1; inputs <= 3; ++inputs)
    for (std::uint64_t table = 0; table < 1u << (1u << inputs); ++table)
      for (std::uint32_t a = 0; a < 5; ++a)
        for (std::uint32_t b = 0; b < 5; ++b)
          for (std::uint32_t c = 0; c < 5; ++c) expect_reduced({table, inputs, {a, b, c}});
}

TEST(LutFunction, ReducesRandomFunctions) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 20000; ++n) {
    LutFunction f{random(), static_cast<unsigned>(4 + random() % 3)};
    if (n % 2) f.table = 0x9669699669969669 ^ (std::uint64_t{1} << random() % 64);
    for (unsigned i = 0; i < f.inputs; ++i)
      f.in[i] = static_cast<std::uint32_t>(random() % (n % 3 ? 8 : 4));
    expect_reduced(f);
  }
}

TEST(LutFunction, IgnoresTableBitsThatNoInputReaches) {
  auto r = reduce({~std::uint64_t{0} << 4 | 0x8, 2, {2, 3}});
  EXPECT_EQ(r.inputs, 2u);
  EXPECT_EQ(r.table, 0x8u);
}

bool named(Op op, bool a, bool b, bool c) {
  switch (op) {
    case Op::invert:
      return !a;
    case Op::and2:
      return a && b;
    case Op::andn2:
      return a && !b;
    case Op::nor2:
      return !(a || b);
    case Op::nand2:
      return !(a && b);
    case Op::or2:
      return a || b;
    case Op::orn2:
      return a || !b;
    case Op::xor2:
      return a != b;
    case Op::xnor2:
      return a == b;
    case Op::and3:
      return a && b && c;
    case Op::or3:
      return a || b || c;
    case Op::xor3:
      return (a + b + c) % 2 == 1;
    case Op::xnor3:
      return (a + b + c) % 2 == 0;
    case Op::majority:
      return a + b + c >= 2;
    case Op::mux:
      return c ? b : a;
    default:
      ADD_FAILURE() << "no name";
      return false;
  }
}

TEST(LutFunction, RecognisesEveryFunctionOfTwoAndTheCommonOnesOfThree) {
  std::set<Op> seen;
  for (unsigned inputs = 1; inputs <= 3; ++inputs)
    for (std::uint64_t table = 0; table < 1u << (1u << inputs); ++table) {
      auto f = reduce({table, inputs, {2, 3, 4}});
      if (f.inputs == 0 || (f.inputs == 1 && f.table == 2)) continue;
      LutFunction permuted = f;
      Op op = recognise(permuted);
      seen.insert(op);
      ASSERT_EQ(arity(op), f.inputs);
      if (op == Op::lut3) {
        ASSERT_EQ(permuted.in, f.in);
        ASSERT_EQ(permuted.table, f.table);
        continue;
      }
      ASSERT_FALSE(has_table(op));
      for (std::uint64_t x = 0; x < 8; ++x) {
        auto value = [&](unsigned i) { return (x >> (permuted.in[i] - 2) & 1) != 0; };
        bool got = named(op, value(0), f.inputs > 1 && value(1), f.inputs > 2 && value(2));
        ASSERT_EQ(got, evaluate(f, x)) << table << " of " << inputs;
      }
    }
  EXPECT_EQ(seen.size(), 16u);
}

// Both ways of looking up against the kernel of the primitive table.
TEST(LookUp, AgreesWithTheTableKernel) {
  std::mt19937_64 random(3);
  for (auto& [name, look_ups] :
       {std::pair("portable", portable_look_ups()), std::pair("fastest", fastest_look_ups())})
    for (unsigned k = 3; k <= 6; ++k) {
      constexpr std::uint32_t count = 500;
      std::vector<ir::Lanes> slots(50), got(count);
      for (auto& s : slots) s = random();
      std::vector<std::uint32_t> operands;
      std::vector<std::uint64_t> tables;
      for (std::uint32_t i = 0; i < count; ++i) {
        tables.push_back(random());
        for (unsigned j = 0; j < k; ++j)
          operands.push_back(static_cast<std::uint32_t>(random() % slots.size()));
      }
      look_ups[k - 3](slots.data(), operands.data(), tables.data(), count, got.data());
      for (std::uint32_t i = 0; i < count; ++i) {
        std::vector<ir::Lanes> in;
        for (unsigned j = 0; j < k; ++j) in.push_back(slots[operands[i * k + j]]);
        ir::Lanes want = 0;
        ir::CellView view{std::span(tables).subspan(i, 1), 1, nullptr};
        ir::lut_prototype(k).kernel.evaluate(view, in.data(), nullptr, &want);
        ASSERT_EQ(got[i], want) << name << ", LUT" << k << ", " << std::hex << tables[i];
      }
    }
}

}  // namespace native_lut_function_test
}  // namespace kumiki::backends::native
