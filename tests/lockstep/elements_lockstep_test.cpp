// SPDX-License-Identifier: Apache-2.0
// Every element of compressor trees as emitted Verilog: every input under Verilator, and a proof by
// Yosys against the sum as Verilog understands it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/blocks/compressor/build.h"
#include "gen/hdl/hdl.h"
#include "tests/support/cache.h"
#include "tests/support/prove.h"

namespace kumiki::gen::compressor {
namespace elements_lockstep_test {

// The tree of one element, with a carry in where an atom can have one, or of one with leaves and
// their readers.
TreePlan tree_of(std::size_t index) {
  const Element& e = elements()[index];
  if (e.name == "v3")
    return parse_tree(
        "tree 5 columns, finish row\nbits 5 2 0 0 0\n"
        "stage\n  1 x v3 at 0\n  1 x fa at 0\n  1 x fa at 1\n");
  if (e.name == "H05")
    return parse_tree(
        "tree 4 columns, finish row\nbits 11 0 0 0\n"
        "stage\n  lead chain A06 at 0\n  chain H05 at 1\n");
  TreePlan plan;
  auto in = e.per_column.inputs;
  plan.shape.bits = in;
  plan.shape.bits.resize(in.size() + 3);
  plan.shape.pairs.assign(plan.shape.width(), 0);
  plan.stages.resize(1);
  if (e.is_atom) {
    plan.stages[0].chains = {{0, {index}, e.takes_carry_in() ? Entry::pin : Entry::lead}};
    ++plan.shape.bits[0];
  } else {
    plan.stages[0].counters = {{index, 0}};
  }
  return plan;
}

constexpr unsigned inputs = 11;  // of the largest

struct EveryElement {
  explicit EveryElement(ir::Family family) : builder(family) {
    ir::Module& top = builder.design().add_module("elements");
    Scope s(builder, top);
    UInt x = s.input<UInt>("x", inputs);
    gold = fmt::format("module gold(input [{}:0] x", inputs - 1);
    std::string sums;
    for (std::size_t e = 0; e < elements().size(); ++e) {
      const TreePlan plan = tree_of(e);
      Heap heap(plan.shape.width());
      unsigned next = 0;
      std::string sum = fmt::format("{}'d0", plan.shape.width());
      weights.emplace_back();
      for (unsigned c = 0; c < plan.shape.width(); ++c)
        for (unsigned i = 0; i < plan.shape.bits[c]; ++i) {
          heap.add(c, x[next]);
          weights.back().push_back(c);
          sum += fmt::format(" + (x[{}] << {})", next++, c);
        }
      const std::string port = fmt::format("y{}", e);
      s.output(port, compress(s, heap, plan));
      gold += fmt::format(", output [{}:0] {}", plan.shape.width() - 1, port);
      sums += fmt::format("  assign {} = {};\n", port, sum);
    }
    gold += ");\n" + sums + "endmodule\n";
    s.finish();
    builder.design().set_top(top.id());
  }
  Builder builder;
  std::string gold;
  std::vector<std::vector<unsigned>> weights;  // of the bits of x, for every element
};

class ElementsLockstep : public ::testing::TestWithParam<ir::Family> {};

TEST_P(ElementsLockstep, EveryInputUnderVerilator) {
  EveryElement all(GetParam());
  backends::NativeMachine native(all.builder.design());
  backends::VerilatedMachine verilated(all.builder.design(),
                                       {.cache = backends::Cache(test::shared_cache)});
  for (std::uint64_t x = 0; x < 1u << inputs; ++x) {
    ir::Frame want, got;
    for (const auto& weights : all.weights) {
      want.push_back(0);
      for (std::size_t i = 0; i < weights.size(); ++i) want.back() += (x >> i & 1) << weights[i];
    }
    verilated.step({x}, got);
    ASSERT_EQ(got, want) << "x = " << x;
    native.step({x}, got);
    ASSERT_EQ(got, want) << "x = " << x;
  }
}

TEST_P(ElementsLockstep, YosysProvesTheSums) {
  EveryElement all(GetParam());
  EXPECT_TRUE(test::prove(all.builder.design(), all.gold));
  // And it would find one wrong bit of one table.
  ir::Module& m = all.builder.design().top();
  for (std::uint32_t i = 0; i < m.cells().size(); ++i)
    if (m.cells()[i].kind == ir::Kind::lut6_2) {
      m.mutable_params({i})[0] ^= std::uint64_t{1} << 33;  // O6 of the second index
      break;
    }
  EXPECT_FALSE(test::prove(all.builder.design(), all.gold));
}

INSTANTIATE_TEST_SUITE_P(Families, ElementsLockstep,
                         ::testing::Values(ir::Family::series7, ir::Family::ultrascale_plus));

}  // namespace elements_lockstep_test
}  // namespace kumiki::gen::compressor
