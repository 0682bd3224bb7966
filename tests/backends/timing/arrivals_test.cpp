// SPDX-License-Identifier: Apache-2.0
// Paths worked by hand from the table of delays.
#include "backends/timing/analysis.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backends/timing/text.h"
#include "ir/text.h"

namespace kumiki::backends::timing {
namespace arrivals_test {

using ir::timing::delays;

constexpr auto plus = ir::Family::ultrascale_plus;
const Delays d = delays(plus, {});

struct Analysed {
  explicit Analysed(const std::string& lines, const Goal& goal = {.paths = 10})
      : design(ir::parse("design ultrascale+ top m\nmodule m\n" + lines)),
        netlist(*design),
        result(analyse(netlist, goal)) {}
  // What the path to a pin needs, as Labels name it; 0: none of the traced ones ends there.
  Picoseconds to(const std::string& end) {
    Labels labels(netlist);
    for (const Path& p : result.paths)
      if (labels.end(p.end) == end) return p.end.needed;
    return 0;
  }
  std::unique_ptr<ir::Design> design;
  Netlist netlist;
  Analysis result;
};

Picoseconds fabric(double fan_out) {
  return d.wire.base + static_cast<Picoseconds>(d.wire.doubling * std::log2(fan_out) +
                                                d.wire.root * (std::sqrt(fan_out) - 1));
}

TEST(Arrivals, FromRegisterToRegister) {
  Analysed a(R"(
  input clk = %3
  output y = %6
  %4 = FDRE "first" C=%3 D=%6
  %5 = LUT1 "middle" I0=%4 INIT=0x1
  %6 = FDRE "second" C=%3 D=%5
)");
  EXPECT_EQ(a.to("second.D"),
            d.clk_to_q + fabric(1) + d.lut + d.wire.beside + d.setup + d.uncertainty);
  EXPECT_EQ(a.to("first.D"), d.clk_to_q + fabric(2) + d.setup + d.uncertainty);
  EXPECT_EQ(a.to("y"), a.to("first.D"));
  EXPECT_EQ(a.result.worst, a.to("second.D"));
  ASSERT_EQ(a.result.paths.size(), 3u);
  EXPECT_EQ(a.result.paths[0].levels.total(), 1u);
  EXPECT_EQ(a.result.paths[1].levels.total(), 0u);
  EXPECT_EQ(a.result.depth.total(), 1u);
  // The clock tree is slower than all of this.
  EXPECT_DOUBLE_EQ(a.result.mhz(), 667);
}

// CI of a CARRY8 has a wire from the block below; all else comes through the fabric, also a sum bit
// of another block.
TEST(Arrivals, OnlyACarryOutCascades) {
  const auto lines = [](const char* carry) {
    return fmt::format(R"(
  input clk = %3
  input x = %4
  output y = %39
  %5 = FDRE C=%3 D=%4
  %6..21 = CARRY8 "below" DI=0*8 S=%5,1*7
  %22..37 = CARRY8 "above" CI={} DI=0*8 S=0*8
  %39 = FDRE "last" C=%3 D=%30
)",
                       carry);
  };
  const Picoseconds in = d.clk_to_q + fabric(1),
                    out = d.carry_exit + d.wire.beside + d.setup + d.uncertainty;
  EXPECT_EQ(Analysed(lines("%13")).to("last.D"), in + d.carry_entry + 7 * d.carry_position +
                                                     d.wire.carry_to_carry + d.carry_cascade + out);
  EXPECT_EQ(
      Analysed(lines("%21")).to("last.D"),
      in + d.carry_entry + 6 * d.carry_position + d.carry_exit + fabric(1) + d.carry_entry + out);
}

// A register on clk2x and a crossing at every edge have half a clock, a crossing that waits a
// whole.
TEST(Arrivals, HalvesOfAClock) {
  Analysed a(R"(
  input clk = %3
  input clk2x = %4
  input x = %5
  output y = %9
  output z = %10
  %6 = FDRE "slow" C=%3 D=%5
  %7 = FDRE "taken" C=%4 D=%6 CROSSING=each
  %8 = FDRE "fast" C=%4 D=%7
  %9 = FDRE "back" C=%3 D=%8 CROSSING=each
  %10 = FDRE "late" C=%3 D=%8 CROSSING=first
)");
  const auto in_half = [&](const std::string& end) {
    Labels labels(a.netlist);
    for (const Path& p : a.result.paths)
      if (labels.end(p.end) == end) return p.end.in_half;
    ADD_FAILURE() << end;
    return false;
  };
  EXPECT_FALSE(in_half("slow.D"));
  EXPECT_TRUE(in_half("taken.D"));
  EXPECT_TRUE(in_half("fast.D"));
  EXPECT_TRUE(in_half("back.D"));
  EXPECT_FALSE(in_half("late.D"));
  // The slowest one asks for twice its time, and half of what the clock tree can do is left.
  EXPECT_EQ(a.to("back.D"), d.clk_to_q + fabric(2) + d.setup + d.uncertainty);
  EXPECT_EQ(a.result.worst, 2 * a.to("back.D"));
  EXPECT_EQ(a.result.limits.front().mhz, 667u / 2);
}

// Two flip-flops behind one LUT: only one of them stands beside it.
TEST(Arrivals, APortCountsAsAFlipFlopAndASecondFlipFlopIsElsewhere) {
  Analysed a(R"(
  input clk = %3
  input x = %4
  output p = %6
  output q = %7
  %5 = LUT1 I0=%4 INIT=0x1
  %6 = FDRE "near" C=%3 D=%5
  %7 = FDRE "far" C=%3 D=%5
)");
  EXPECT_EQ(a.to("far.D"), d.clk_to_q + fabric(1) + d.lut + fabric(2) + d.setup + d.uncertainty);
  EXPECT_EQ(a.to("p"), d.clk_to_q + fabric(1) + d.setup + d.uncertainty);
}

// Nine positions over two blocks: in at the lowest S, out at the sum of the ninth.
TEST(Arrivals, AlongACarryChain) {
  Analysed a(R"(
  input clk = %3
  input x = %4
  output y = %30
  %5..6 = LUT6_2 I0=%4 I1=0 I2=0 I3=0 I4=0 I5=1 INIT=0x6666666688888888
  %10..25 = CARRY8 S=%5,1*7 DI=%6,0*7
  %26..41 = CARRY8 CI=%17 S=1,0*7 DI=0*8
)");
  // %26..33 are CO: the port reads CO[4], behind a position whose S is 0, which nothing passes.
  EXPECT_EQ(a.to("y"), 0);
  Analysed b(R"(
  input clk = %3
  input x = %4
  output y = %34
  %5..6 = LUT6_2 I0=%4 I1=0 I2=0 I3=0 I4=0 I5=1 INIT=0x6666666688888888
  %10..25 = CARRY8 S=%5,1*7 DI=%6,0*7
  %26..41 = CARRY8 CI=%17 S=1,0*7 DI=0*8
)");
  const Picoseconds at_last =
      d.clk_to_q + fabric(1) + d.lut + d.wire.beside + d.carry_entry + 7 * d.carry_position;
  EXPECT_EQ(b.to("y"), at_last + d.wire.carry_to_carry + d.carry_cascade + d.carry_exit +
                           fabric(1) + d.setup + d.uncertainty);
  EXPECT_EQ(b.result.depth.luts, 1u);
  EXPECT_EQ(b.result.depth.carries, 2u);
}

// O6 is I0 xor I3, O5 is I0: what comes at I3 goes no further than to O6.
TEST(Arrivals, ALutIsNoWayFromAnInputThatItsTableIgnores) {
  Analysed a(R"(
  input x = %4
  output y = %10
  %6..7 = LUT6_2 I0=%4 I1=0 I2=0 I3=0 I4=0 I5=1 INIT=0x55aa55aaaaaaaaaa
  %8..9 = LUT6_2 I0=%4 I1=0 I2=0 I3=%7 I4=0 I5=1 INIT=0x55aa55aaaaaaaaaa
  %10..11 = LUT6_2 I0=%4 I1=0 I2=0 I3=%9 I4=0 I5=1 INIT=0x55aa55aaaaaaaaaa
)");
  EXPECT_EQ(a.result.depth.luts, 2u);
}

// The upper half of a block is fed by its own lower half: it is cut into its outputs.
TEST(Arrivals, ABlockThatFeedsItselfCountsOncePerPassage) {
  Analysed a(R"(
  input x = %4
  output y = %22
  %5 = LUT1 "through" I0=%18 INIT=0x2
  %10..25 = CARRY8 S=%4,0*3,%5,0*3 DI=0*8 CARRY_TYPE=DUAL_CY4
)");
  EXPECT_EQ(a.result.depth.luts, 1u);
  EXPECT_EQ(a.result.depth.carries, 2u);
  EXPECT_EQ(a.to("y"), d.clk_to_q + fabric(1) + d.carry_sum + fabric(1) + d.lut + d.wire.beside +
                           d.carry_sum + fabric(1) + d.setup + d.uncertainty);
}

// From PCOUT to PCIN there is a wire of its own, to any other pin the fabric and the way to the
// column of slices.
TEST(Arrivals, OfASliceACascadePassesNoFabric) {
  const auto lines = [](const char* pins) {
    return fmt::format(R"(
  input clk = %3
  output y = %2055
  %1000..1161 = DSP48E2 "below" CLK=%3
  %2000..2161 = DSP48E2 "above" CLK=%3 {}
)",
                       pins);
  };
  EXPECT_EQ(Analysed(lines("PCIN=%1105..1152")).to("above.PCIN[0]"),
            d.dsp.p_clk_to_q + d.dsp.cascade_out + d.wire.cascade + d.dsp.alu + d.dsp.inner_setup +
                d.uncertainty);
  EXPECT_EQ(Analysed(lines("C=%1055..1102")).to("above.C[0]"),
            d.dsp.p_clk_to_q + fabric(1) + d.wire.column + d.dsp.setup + d.uncertainty);
}

TEST(Arrivals, MemoriesByTheirRegisters) {
  const auto read = [](const std::string& how) {
    Analysed a(
        "  input clk = %3\n  input a = %4..5\n  output y = %6\n  %6 = MEMORY CLK=%3 WE=%4 "
        "WADDR=%4..5 WDATA=%5 RADDR=%4..5 DEPTH=4 WIDTH=1 ADDRESS_BITS=2 " +
        how + "\n");
    return a.to("y");
  };
  const Picoseconds out = fabric(1) + d.setup + d.uncertainty;
  EXPECT_EQ(read("READ=ASYNC"), d.ram_clk_to_q + out);
  EXPECT_EQ(read("READ=REGISTERED"), d.clk_to_q + out);
  EXPECT_EQ(read("READ=REGISTERED STYLE=block"), d.bram_clk_to_q + d.wire.column + out);
  EXPECT_EQ(read("READ=TWICE_REGISTERED STYLE=block"),
            d.bram_register_clk_to_q + d.wire.column + out);
  EXPECT_EQ(read("READ=TWICE_REGISTERED STYLE=ultra"),
            d.uram_register_clk_to_q + d.wire.column + out);
}

TEST(Arrivals, UltraRamByItsRegisters) {
  const auto end = [](const std::string& how, const std::string& name) {
    Analysed a(
        "  input clk = %3\n  input e = %4\n  output y = %5\n  output z = %78\n"
        "  %5..150 = URAM288 \"ram\" CLK=%3 EN_A=%4 " +
        how + "\n");
    return a.to(name);
  };
  const Picoseconds out = d.wire.column + fabric(1) + d.setup + d.uncertainty;
  EXPECT_EQ(end("", "y"), d.uram_clk_to_q + out);
  EXPECT_EQ(end("OREG_A=TRUE", "y"), d.uram_register_clk_to_q + out);
  EXPECT_EQ(end("OREG_A=TRUE", "z"), d.uram_clk_to_q + out);
  EXPECT_EQ(end("", "ram.EN_A"),
            d.clk_to_q + fabric(1) + d.wire.column + d.uram_setup + d.uncertainty);
}

// A tap that is fixed is a register; one that is chosen is passed.
TEST(Arrivals, ShiftRegisters) {
  const auto levels = [](const std::string& tap) {
    Analysed a("  input clk = %3\n  input x = %4\n  output y = %5\n  %5 = SRL16E CLK=%3 D=%4 A0=" +
               tap + " A1=0 A2=0 A3=1\n");
    return a.result.depth.total();
  };
  EXPECT_EQ(levels("1"), 0u);
  EXPECT_EQ(levels("%4"), 1u);
}

TEST(Arrivals, PathsOfCopiesAreShownOnceAndNamed) {
  const auto design = ir::parse(R"(design ultrascale+ top m
module m
  input clk = %3
  input x = %4..5
  output y = %6..7
  %6 = instance one "u_a" clk=%3 x=%4
  %7 = instance one "u_b" clk=%3 x=%5
module one
  input clk = %3
  input x = %4
  output y = %6
  %5 = LUT1 "inverts" I0=%4 INIT=0x1
  %6 = FDRE "holds" C=%3 D=%5
)");
  const Netlist netlist(*design);
  const Analysis a = analyse(netlist, {.paths = 10});
  ASSERT_EQ(a.paths.size(), 2u);  // to the flip-flop, and from it to the port y
  EXPECT_EQ(a.paths[0].ends, 2u);
  Labels labels(netlist);
  EXPECT_EQ(labels.end(a.paths[0].end), "u_a/holds.D");
  ASSERT_EQ(a.paths[0].steps.size(), 2u);
  EXPECT_EQ(labels.step(a.paths[0].steps[0]), "x[0]");
  EXPECT_EQ(labels.step(a.paths[0].steps[1]), "u_a/inverts");
  EXPECT_EQ(labels.place(a.paths[0].steps[1].cell), "text:12");
}

TEST(Arrivals, SlackIsCountedForEveryEnd) {
  const std::string lines = R"(
  input clk = %3
  output y = %6
  %4 = FDRE C=%3 D=%6
  %5 = LUT1 I0=%4 INIT=0x1
  %6 = FDRE C=%3 D=%5
)";
  Analysed a(lines, {.period_ps = 400.0, .paths = 1});
  EXPECT_EQ(a.result.ends, 3u);
  EXPECT_EQ(a.result.missed, 1u);
  std::size_t counted = 0, below = 0;
  for (const Bar& b : a.result.slack) {
    counted += b.ends;
    if (b.to_ps <= 0) below += b.ends;
  }
  EXPECT_EQ(counted, 3u);
  EXPECT_EQ(below, 1u);
  EXPECT_EQ(a.result.paths.size(), 1u);
}

TEST(Arrivals, NothingToMeasure) {
  Analysed a("  input clk = %3\n  output y = 1\n");
  EXPECT_EQ(a.result.worst, 0);
  EXPECT_TRUE(a.result.paths.empty());
  EXPECT_TRUE(a.result.slack.empty());
  EXPECT_DOUBLE_EQ(a.result.mhz(), 667);
}

}  // namespace arrivals_test
}  // namespace kumiki::backends::timing
