// SPDX-License-Identifier: Apache-2.0
// Hierarchy, loops of cells that are no loops of signals, and designs that are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "backends/sim/native/machine.h"
#include "backends/support/flat/order.h"
#include "tests/backends/sim/native/compare.h"
#include "tests/support/refusal.h"

namespace kumiki::backends {
namespace native_structure_test {

using ir::Design;
using ir::Kind;
using ir::Module;
using ir::Net;
using testing::HasSubstr;

Net run(Net first, std::uint32_t i) { return {first.index + i}; }

ir::CellId lut(Module& m, Net out, std::uint64_t table, std::vector<Net> in,
               std::uint32_t line = 0) {
  auto kind = static_cast<Kind>(static_cast<unsigned>(Kind::lut1) + in.size() - 1);
  std::array params{table};
  return m.add_cell_driving(out, kind, 1, in, params, ir::place("made/here.cpp", line));
}

std::string refusal(const Design& design) {
  return test::refusal<DesignError>([&] { NativeSimulator simulator(design); });
}

TEST(Hierarchy, PortsAreWiresThroughAnyNumberOfLevels) {
  Design design;
  Module& leaf = design.add_module("leaf");  // crosses its inputs, a constant, and an inverter
  Net x = leaf.add_input("x", 2);
  Net y = leaf.fresh_nets(1);
  lut(leaf, y, 1, {run(x, 0)});
  leaf.add_output("o", std::array{run(x, 1), run(x, 0), ir::net_one, y});

  Module& middle = design.add_module("middle");
  Net a = middle.add_input("a", 2);
  auto first = middle.add_instance(leaf.id(), std::array{run(a, 0), run(a, 1)}, {}, "first");
  Net p = middle.cell(first).out;
  auto second = middle.add_instance(leaf.id(), std::array{run(p, 0), run(p, 3)}, {}, "second");
  Net q = middle.cell(second).out;
  middle.add_output("o", std::array{run(q, 0), run(q, 1), run(q, 2), run(q, 3), run(p, 2)});

  Module& top = design.add_module("top");
  Net in = top.add_input("in", 2);
  auto u = top.add_instance(middle.id(), std::array{run(in, 0), run(in, 1)}, {}, "u");
  auto v = top.add_instance(middle.id(), std::array{run(in, 1), ir::net_zero}, {});
  std::vector<Net> out;
  for (auto id : {u, v})
    for (std::uint32_t i = 0; i < 5; ++i) out.push_back(run(top.cell(id).out, i));
  top.add_output("out", out);
  design.set_top(top.id());

  NativeSimulator sim(design);
  for (unsigned value = 0; value < 4; ++value) {
    sim.set_all(0, value);
    auto expected = [](bool a0, bool a1) {
      // first: {a1, a0, 1, !a0}; second sees a1 and !a0: {!a0, a1, 1, !a1}
      return unsigned{!a0} + 2u * a1 + 4 + 8u * !a1 + 16;
    };
    EXPECT_EQ(sim.get(0, 3), expected(value & 1, value >> 1) + 32 * expected(value >> 1, false));
    // The inverter of the second leaf, seen from inside.
    auto inside = sim.scope("u/second");
    EXPECT_EQ(sim.peek(inside, y), all_lanes(!(value >> 1)));
    EXPECT_EQ(inside, sim.scope(std::array{u, second}));
    EXPECT_EQ(sim.path(inside), "u/second");
    EXPECT_EQ(&sim.module(inside), &leaf);
    EXPECT_EQ(sim.parent(inside), sim.scope("u"));
  }
  EXPECT_EQ(sim.path(sim.scope(std::array{v, first})), "#1/first");
  EXPECT_EQ(sim.children({}).size(), 2u);
  EXPECT_THROW(sim.scope("u/third"), DesignError);
  EXPECT_THROW(sim.child(sim.scope("u/first"), {0}), DesignError);
  compare_with_reference(design, 20, 1);
}

TEST(FalseLoops, ElementsOfAVectorCellMayFeedEachOther) {
  Design design;
  Module& m = design.add_module("ripple");
  Net a = m.add_input("a", 8), first = m.add_input("first", 1), out = m.fresh_nets(8);
  std::vector<Net> pins;
  for (std::uint32_t i = 0; i < 8; ++i) pins.push_back(run(a, i));
  pins.push_back(first);
  for (std::uint32_t i = 0; i < 7; ++i) pins.push_back(run(out, i));
  std::array<std::uint64_t, 1> parity{0x6};
  m.add_cell_driving(out, Kind::lut2, 8, pins, parity, {});
  m.add_output("o", std::array{run(out, 7)});
  design.set_top(m.id());
  NativeSimulator sim(design);
  for (unsigned value = 0; value < 512; ++value) {
    sim.set_all(0, value & 255);
    sim.set_all(1, value >> 8);
    ASSERT_EQ(sim.get(0, 9), static_cast<unsigned>(__builtin_popcount(value)) & 1);
  }
}

TEST(FalseLoops, BothHalvesOfADualLut) {
  // O6 comes back on I5, which O5 does not see.
  Design design;
  Module& m = design.add_module("dual");
  Net a = m.add_input("a", 5), out = m.fresh_nets(2);
  std::vector<Net> pins;
  for (std::uint32_t i = 0; i < 5; ++i) pins.push_back(run(a, i));
  pins.push_back(run(out, 1));
  std::array<std::uint64_t, 1> init{0x123456789abcdef0};
  m.add_cell_driving(out, Kind::lut6_2, 1, pins, init, {});
  m.add_output("o", std::array{run(out, 0), run(out, 1)});
  design.set_top(m.id());
  NativeSimulator sim(design);
  for (unsigned value = 0; value < 32; ++value) {
    sim.set_all(0, value);
    unsigned o5 = init[0] >> value & 1, o6 = init[0] >> (value + 32 * o5) & 1;
    ASSERT_EQ(sim.get(0, 0), o6 + 2 * o5);
  }
}

// Each position of a carry block reads the sum below it: no signal runs in a circle. The carries
// that enter are made by cells that come later.
void feed_sums_upwards(Design& design, Kind kind, bool is_dual) {
  Module& m = design.add_module("upwards");
  std::uint32_t n = kind == Kind::carry8 ? 8 : 4;
  Net a = m.add_input("a", n), c = m.add_input("c", 2), out = m.fresh_nets(2 * n);
  Net both = m.fresh_nets(2);
  std::vector<Net> pins{both, kind == Kind::carry8 && !is_dual ? ir::net_zero : run(both, 1)};
  for (std::uint32_t i = 0; i < n; ++i) pins.push_back(i == 0 ? run(a, 0) : run(out, n + i - 1));
  for (std::uint32_t i = 0; i < n; ++i) {
    Net s = m.fresh_nets(1);
    lut(m, s, 0x6, {run(a, i), i == 0 ? ir::net_zero : run(out, i - 1)});
    pins.push_back(s);
  }
  std::vector<std::uint64_t> params;
  if (kind == Kind::carry8) params = {is_dual};
  m.add_cell_driving(out, kind, 1, pins, params, {});
  Net half = m.fresh_nets(2);
  lut(m, run(both, 0), 0x6, {run(half, 0), run(c, 1)});
  lut(m, run(both, 1), 0x6, {run(half, 1), c});
  lut(m, run(half, 0), 0x8, {c, run(c, 1)});
  lut(m, run(half, 1), 0x1, {c, run(c, 1)});
  std::vector<Net> all;
  for (std::uint32_t i = 0; i < 2 * n; ++i) all.push_back(run(out, i));
  m.add_output("o", all);
  design.set_top(m.id());
}

TEST(FalseLoops, PositionsOfACarryBlock) {
  for (auto [kind, is_dual] : {std::pair(Kind::carry4, false), std::pair(Kind::carry8, false),
                               std::pair(Kind::carry8, true)}) {
    Design design;
    feed_sums_upwards(design, kind, is_dual);
    compare_with_reference(design, 200, 2);
  }
}

// Of a block in two halves the upper one may begin with what the lower one ends with.
TEST(FalseLoops, HalvesOfACarryBlockInARow) {
  Design design;
  Module& m = design.add_module("halves");
  Net a = m.add_input("a", 16), c = m.add_input("c", 1), out = m.fresh_nets(16);
  Net between = m.fresh_nets(1);
  std::vector<Net> pins{c, between};
  for (std::uint32_t i = 0; i < 16; ++i) pins.push_back(run(a, i));
  const std::array<std::uint64_t, 1> is_dual{1};
  m.add_cell_driving(out, Kind::carry8, 1, pins, is_dual, {});
  lut(m, between, 0x6, {run(out, 3), run(a, 0)});
  std::vector<Net> all;
  for (std::uint32_t i = 0; i < 16; ++i) all.push_back(run(out, i));
  m.add_output("o", all);
  design.set_top(m.id());
  compare_with_reference(design, 200, 4);
}

TEST(FalseLoops, SumThatChoosesItsOwnCarry) {
  // DI of a position does not reach its sum, so the sum may decide it.
  Design design;
  Module& m = design.add_module("own");
  Net a = m.add_input("a", 4), out = m.fresh_nets(8);
  std::vector<Net> pins{ir::net_zero, run(a, 3)};
  for (std::uint32_t i = 0; i < 4; ++i) pins.push_back(run(out, 4 + i));
  for (std::uint32_t i = 0; i < 4; ++i) pins.push_back(run(a, i));
  m.add_cell_driving(out, Kind::carry4, 1, pins, {}, {});
  std::vector<Net> all;
  for (std::uint32_t i = 0; i < 8; ++i) all.push_back(run(out, i));
  m.add_output("o", all);
  design.set_top(m.id());
  compare_with_reference(design, 100, 3);
}

TEST(TrueLoops, EveryHopIsNamed) {
  Design design;
  Module& inner = design.add_module("inner");
  Net x = inner.add_input("x", 1), y = inner.fresh_nets(1);
  lut(inner, y, 1, {x}, 11);
  inner.add_output("y", std::array{y});
  Module& top = design.add_module("top");
  Net a = top.add_input("a", 1), back = top.fresh_nets(1);
  Net wide = top.fresh_nets(3);
  auto u = top.add_instance(inner.id(), std::array{run(wide, 1)}, {}, "u");
  std::array<std::uint64_t, 1> both{0x8};
  top.add_cell_driving(wide, Kind::lut2, 3, std::array{a, back, a, a, a, a}, both,
                       ir::place("made/here.cpp", 22));
  top.set_cell_name(lut(top, back, 0x6, {a, top.cell(u).out}, 33), "last");
  top.add_output("o", std::array{back});
  design.set_top(top.id());
  EXPECT_EQ(refusal(design),
            "combinational loop of 3 hops:\n"
            "  LUT2 O[1] in the top (top) at made/here.cpp:22\n"
            "  LUT1 O in u (inner) at made/here.cpp:11\n"
            "  LUT2 last O in the top (top) at made/here.cpp:33\n"
            "put a register on the way");
}

TEST(TrueLoops, ThroughAnAsynchronousMemory) {
  Design design;
  Module& m = design.add_module("looping");
  Net clk = m.add_input("clk", 1), a = m.add_input("a", 1), out = m.fresh_nets(2);
  std::array<std::uint64_t, 6> params{4, 2, 2, 0, 0, 0};
  std::vector<Net> pins{clk, a, a, a, a, a, ir::net_one, a, run(out, 0)};
  m.add_cell_driving(out, Kind::memory, 1, pins, params, ir::place("made/here.cpp", 5));
  m.add_output("o", std::array{out});
  design.set_top(m.id());
  EXPECT_EQ(refusal(design),
            "combinational loop of 1 hop:\n"
            "  MEMORY RDATA[0] in the top (looping) at made/here.cpp:5\n"
            "put a register on the way");
}

TEST(TrueLoops, ThroughACarryBlock) {
  Design design;
  Module& m = design.add_module("looping");
  Net out = m.fresh_nets(16);
  std::vector<Net> pins{ir::net_zero, ir::net_zero};
  for (std::uint32_t i = 0; i < 8; ++i) pins.push_back(ir::net_zero);
  for (std::uint32_t i = 0; i < 8; ++i) pins.push_back(i == 2 ? run(out, 13) : ir::net_one);
  m.add_cell_driving(out, Kind::carry8, 1, pins, {}, ir::place("made/here.cpp", 6));
  m.add_output("o", std::array{out});
  design.set_top(m.id());
  EXPECT_EQ(refusal(design),
            "combinational loop of 4 hops:\n"
            "  CARRY8 CO[2] in the top (looping) at made/here.cpp:6\n"
            "  CARRY8 CO[3] in the top (looping) at made/here.cpp:6\n"
            "  CARRY8 CO[4] in the top (looping) at made/here.cpp:6\n"
            "  CARRY8 O[5] in the top (looping) at made/here.cpp:6\n"
            "put a register on the way");
}

TEST(TrueLoops, OfWiresOnly) {
  Design design;
  Module& through = design.add_module("through");
  Net x = through.add_input("x", 1);
  through.add_output("y", std::array{x});
  Module& top = design.add_module("top");
  Net back = top.fresh_nets(1);
  top.add_instance_driving(back, through.id(), std::array{back}, {}, "u");
  top.add_output("o", std::array{back});
  design.set_top(top.id());
  EXPECT_THAT(refusal(design), HasSubstr("drives itself"));
  EXPECT_THAT(refusal(design), HasSubstr("net 3 of through u"));
}

TEST(Refused, NetsWithNoDriverOrTwo) {
  Design none;
  Module& m = none.add_module("m");
  Net a = m.add_input("a", 1), floating = m.fresh_nets(1), y = m.fresh_nets(1);
  lut(m, y, 0x8, {a, floating}, 4);
  m.add_output("y", std::array{y});
  none.set_top(m.id());
  EXPECT_EQ(refusal(none),
            "module m: net 4 is read by LUT2 at made/here.cpp:4 and driven by nothing");

  Design two;
  Module& n = two.add_module("n");
  Net b = n.add_input("b", 1), out = n.fresh_nets(1);
  lut(n, out, 1, {b}, 7);
  lut(n, out, 1, {b}, 8);
  n.add_output("y", std::array{out});
  two.set_top(n.id());
  EXPECT_EQ(refusal(two),
            "module n: net 4 is driven by LUT1 at made/here.cpp:7 and by LUT1 at made/here.cpp:8");

  Design output;
  Module& o = output.add_module("o");
  o.add_output("y", std::array{o.fresh_nets(1)});
  output.set_top(o.id());
  EXPECT_EQ(refusal(output), "module o: net 3 is the output port y and driven by nothing");
}

TEST(Refused, ClocksOtherThanTheOne) {
  Design design;
  Module& m = design.add_module("m");
  m.add_input("clk", 1);
  Net gated = m.add_input("gated", 1), d = m.add_input("d", 1);
  auto id = m.add_cell(Kind::fdre, 1, std::array{gated, ir::net_one, d, ir::net_zero}, {},
                       ir::place("made/here.cpp", 9));
  m.add_output("q", std::array{m.cell(id).out});
  design.set_top(m.id());
  EXPECT_EQ(refusal(design),
            "made/here.cpp:9: pin C of FDRE in module m is not on the clock: every clock pin is "
            "wired to the input port clk of the top");
}

TEST(Constants, AnOpenPinReadsLow) {
  Design design;
  Module& m = design.add_module("m");
  Net a = m.add_input("a", 1);
  auto id = lut(m, m.fresh_nets(1), 0x4, {ir::net_open, a});
  m.add_output("o", std::array{m.cell(id).out, ir::net_open});
  design.set_top(m.id());
  NativeSimulator sim(design);
  sim.set_all(0, 1);
  EXPECT_EQ(sim.get(0, 0), 1u);
}

TEST(Constants, AStoppedClockHoldsAndTheClockReadsLow) {
  Design design;
  Module& m = design.add_module("m");
  Net clk = m.add_input("clk", 1), d = m.add_input("d", 1);
  std::array<std::uint64_t, 4> init{1, 0, 0, 0};
  auto flop = m.add_cell(Kind::fdre, 1, std::array{ir::net_zero, ir::net_one, d, d}, init, {});
  std::vector<Net> pins(4, ir::net_zero);
  pins.insert(pins.end(), {ir::net_one, ir::net_zero, d});
  std::array<std::uint64_t, 2> ones{0xffff, 0};
  auto shift = m.add_cell(Kind::srl16e, 1, pins, ones, {});
  auto bit = lut(m, m.fresh_nets(1), 1, {clk});
  m.add_output("o", std::array{m.cell(flop).out, m.cell(shift).out, m.cell(bit).out});
  design.set_top(m.id());
  NativeSimulator sim(design);
  sim.set_all(0, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sim.get(0, 0), 7u);
    sim.clock();
  }
  sim.set_all(0, 0);
  sim.step(3);
  EXPECT_EQ(sim.get(0, 0), 7u);
}

}  // namespace native_structure_test
}  // namespace kumiki::backends
