// SPDX-License-Identifier: Apache-2.0
// The S of a carry chain always comes out of a LUT's O6: the silicon has no other way.
#include <gtest/gtest.h>

#include "gen/hdl/hdl.h"
#include "gen/layers/dot/build.h"

namespace kumiki::gen {
namespace dsl_carry_test {

// Positions of carry blocks whose S hangs on the O5 of a LUT6_2.
int on_o5(const ir::Design& design) {
  int found = 0;
  for (const ir::ModuleId id : design.bottom_up()) {
    const ir::Module& m = design.module(id);
    std::vector<bool> is_o5(m.net_count(), false);
    for (const ir::Cell& c : m.cells())
      if (c.kind == ir::Kind::lut6_2)
        for (std::uint32_t e = 0; e < c.width; ++e) is_o5[c.out.index + c.width + e] = true;
    for (const ir::Cell& c : m.cells()) {
      if (c.kind != ir::Kind::carry4 && c.kind != ir::Kind::carry8) continue;
      const std::uint32_t block = c.kind == ir::Kind::carry4 ? 4 : 8;
      const auto in = m.inputs(c);
      for (std::uint32_t i = 0; i < block; ++i)
        found += !in[2 + block + i].is_constant() && is_o5[in[2 + block + i].index] ? 1 : 0;
    }
  }
  return found;
}

TEST(CarryChain, TakesSFromO6) {
  for (const auto family : {ir::Family::series7, ir::Family::ultrascale_plus}) {
    Builder b(family);
    auto& m = b.design().add_module("m");
    Scope s(b, m);
    const auto x = s.input<UInt>("x", 9), y = s.input<UInt>("y", 9);
    s.output("sum", add(s, x, y));
    s.output("difference", sub(s, x, y));
    s.output("next", increment(s, x));
    s.output("less", bits(s, {less(s, x, y)}));
    s.output("ones", popcount(s, x));
    s.finish();
    b.design().set_top(m.id());
    EXPECT_EQ(on_o5(b.design()), 0);
  }
}

TEST(CarryChain, TakesSFromO6InDotProducts) {
  using packing::Scheme;
  for (const auto scheme : {Scheme::WrapCounter, Scheme::CarryLane, Scheme::Wp486Macc,
                            Scheme::Wp487Int8Lut, Scheme::Canary, Scheme::Single}) {
    dot::Request request{.scheme = scheme, .terms = 40};
    if (scheme == Scheme::Canary) request.packed.bits = request.shared.bits = 4;
    const auto plan = *dot::plan(request);
    Builder b;
    build_top(b, dot::build, plan, plan.input_shape());
    EXPECT_EQ(on_o5(b.design()), 0) << packing::to_string(scheme);
  }
}

}  // namespace dsl_carry_test
}  // namespace kumiki::gen
