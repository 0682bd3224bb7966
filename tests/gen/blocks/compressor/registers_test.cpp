// SPDX-License-Identifier: Apache-2.0
// Registers in combinational netlists: by hand, and beside every other way to place them.
#include "gen/blocks/compressor/registers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backends/timing/levels.h"
#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/options.h"
#include "ir/text.h"
#include "tests/gen/blocks/compressor/support.h"

namespace kumiki::gen::compressor {
namespace registers_test {

using ::testing::ElementsAre;

std::unique_ptr<ir::Design> parsed(const std::string& lines) {
  return ir::parse("design ultrascale+ top m\nmodule m\n" + lines);
}

TEST(Registers, StandWhereTheyAreFewest) {
  // Three bits become one: early. One bit becomes two: late. Both wait for a path of three LUTs.
  const auto design = parsed(R"(
  input x = %3..6
  output y = %12
  %7 = LUT3 "many" I0=%3 I1=%4 I2=%5 INIT=0x96
  %8 = LUT1 "first" I0=%6 INIT=0x1
  %9 = LUT1 "second" I0=%8 INIT=0x1
  %10 = LUT1 "one" I0=%6 INIT=0x1
  %11 = LUT1 "two" I0=%6 INIT=0x1
  %12 = LUT5 "all" I0=%7 I1=%8 I2=%9 I3=%10 I4=%11 INIT=0x96696996
)");
  const Placement p = place_registers(design->top(), {.levels = 1});
  EXPECT_EQ(p.latency, 3u);
  EXPECT_EQ(p.levels, 1);
  // many, first, second, one, two, all.
  EXPECT_EQ(p.clock[0], 0u);
  EXPECT_EQ(p.clock[1], 0u);
  EXPECT_EQ(p.clock[2], 1u);
  EXPECT_EQ(p.clock[5], 2u);
  // As late as `all` lets them: x[3] waits for both in one register.
  EXPECT_EQ(p.clock[3], 1u);
  EXPECT_EQ(p.clock[4], 1u);
  EXPECT_EQ(p.flip_flops, 2u /* many */ + 2u /* first */ + 1u /* second */ + 1u /* x[3] */ +
                              2u /* one, two */ + 1u /* y */);
  const Placement all = place_registers(design->top(), {.levels = 3});
  EXPECT_THAT(all.clock, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_EQ(all.latency, 1u);
  EXPECT_EQ(all.flip_flops, 1u);
}

TEST(Registers, OfAPeriodAreThoseOfItsPaths) {
  const auto design = parsed(R"(
  input x = %3
  output y = %6
  %4 = LUT1 "a" I0=%3 INIT=0x1
  %5 = LUT1 "b" I0=%4 INIT=0x1
  %6 = LUT1 "c" I0=%5 INIT=0x1
)");
  const auto d = ir::timing::delays(ir::Family::ultrascale_plus, {});
  const auto of = [&](int luts) {
    return d.clk_to_q + luts * (d.wire.base + d.lut) + d.wire.beside + d.setup + d.uncertainty;
  };
  const auto latency = [&](Picoseconds period) {
    return place_registers(design->top(), {.period = period}).latency;
  };
  EXPECT_EQ(latency(of(3)), 1u);
  EXPECT_EQ(latency(of(3) - 1), 2u);
  EXPECT_EQ(latency(of(2) - 1), 3u);
  EXPECT_EQ(place_registers(design->top(), {.period = of(3) - 1}).period, of(2));
  try {
    place_registers(design->top(), {.period = of(1) - 1});
    ADD_FAILURE() << "less than a LUT";
  } catch (const ChainTooLong& e) {
    EXPECT_EQ(e.least, of(1));
  }
  // A faster grade has more in the same period.
  EXPECT_EQ(place_registers(design->top(), {.period = of(3) - 1, .grade = {3}}).latency, 1u);
}

// A netlist of a heap, without registers.
struct Combinational {
  Combinational(const Shape& shape, ir::Family family) : builder(family) {
    TreePlan tree = plan_tree(shape, {.effort = 0});
    ir::Module& m = builder.design().add_module("heap");
    Scope s(builder, m);
    Heap heap(shape.width());
    for (unsigned c = 0; c < shape.width(); ++c)
      if (shape.bits[c] > 0)
        for (const Net n : s.input<UInt>(fmt::format("x{}", c), shape.bits[c]).nets())
          heap.add(c, n);
    s.output("y", compress(s, heap, tree));
    s.finish();
    builder.design().set_top(m.id());
  }
  const ir::Module& module() const { return builder.design().top(); }
  Builder builder;
};

// What a placement comes to in a netlist: flip-flops, and levels as backends/timing counts them.
struct Built {
  std::uint64_t flip_flops = 0;
  int levels = 0;
};
Built built(const ir::Module& from, const Placement& p) {
  Builder builder(from.design().family());
  ir::Module& m = builder.design().add_module("clocked");
  Scope s(builder, m);
  std::vector<Net> inputs;
  for (const ir::Port& port : from.ports())
    if (port.direction == ir::Direction::input)
      for (const Net n :
           s.input<UInt>(std::string(from.design().text(port.name)), port.width).nets())
        inputs.push_back(n);
  s.output("y", bits(s, build_with_registers(s, from, p, inputs, ir::net_one)));
  builder.design().set_top(m.id());
  Built b;
  for (const ir::Cell& c : m.cells()) b.flip_flops += ir::is_flop(c.kind) ? c.width : 0;
  b.levels = static_cast<int>(backends::logic_depth(builder.design()).total());
  return b;
}

// Every clock for every part, as long as data flow on. Blocks of one position fit one carry block,
// so that chains count one in both ways.
struct Best {
  unsigned latency = 0;
  std::uint64_t flip_flops = 0;
};
Best best_of_all(const ir::Module& m, int levels, unsigned most_latency) {
  Paths paths(m, ir::timing::levels());
  Best best;
  for (unsigned latency = 1; latency <= most_latency && best.latency == 0; ++latency) {
    std::vector<unsigned> clock(paths.part_count(), 0);
    for (bool more = true; more;) {
      Placement p{.latency = latency};
      for (std::uint32_t c = 0; c < m.cells().size(); ++c) p.clock.push_back(clock[paths.part(c)]);
      bool flows = true;
      for (std::uint32_t c = 0; c < m.cells().size(); ++c)
        for (const Net in : m.inputs(m.cells()[c]))
          if (const auto by = paths.driver(in); by != Paths::none)
            flows = flows && p.clock[by] <= p.clock[c];
      if (flows) {
        const Built b = built(m, p);
        if (b.levels <= levels && (best.latency == 0 || b.flip_flops < best.flip_flops))
          best = {latency, b.flip_flops};
      }
      more = false;
      for (unsigned& c : clock) {
        if (++c < latency) {
          more = true;
          break;
        }
        c = 0;
      }
    }
  }
  return best;
}

TEST(Registers, NoOtherPlacementHasFewer) {
  const std::vector<std::vector<unsigned>> heaps{{3}, {4},    {5},       {6},   {7},
                                                 {8}, {2, 2}, {3, 1, 2}, {1, 4}};
  unsigned compared = 0;
  for (const auto& bits : heaps)
    for (const auto family : {ir::Family::series7, ir::Family::ultrascale_plus}) {
      Shape shape{bits, std::vector<unsigned>(bits.size())};
      shape.bits.resize(bits.size() + 3);
      shape.pairs.resize(bits.size() + 3);
      const Combinational heap(shape, family);
      for (int levels = 1; levels <= 4; ++levels) {
        std::optional<Placement> p;
        try {
          p = place_registers(heap.module(), {.levels = levels});
        } catch (const ChainTooLong& e) {
          EXPECT_GT(e.least, levels);
          continue;
        }
        const std::uint32_t parts = Paths(heap.module(), ir::timing::levels()).part_count();
        if (std::pow(p->latency, parts) > 3000) continue;
        const Best best = best_of_all(heap.module(), levels, p->latency);
        const std::string what = fmt::format("{}, {} levels", to_text(shape), levels);
        EXPECT_EQ(p->latency, best.latency) << what;
        EXPECT_EQ(p->flip_flops, best.flip_flops) << what;
        EXPECT_EQ(built(heap.module(), *p).flip_flops, p->flip_flops) << what;
        ++compared;
      }
    }
  EXPECT_GT(compared, 30u);
}

}  // namespace registers_test
}  // namespace kumiki::gen::compressor
