// SPDX-License-Identifier: Apache-2.0
// The table of delays, and that docs/timing.md says the same.
#include "ir/delays.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/support/golden.h"

namespace kumiki::ir::timing {
namespace delays_test {

constexpr Family families[] = {Family::series7, Family::ultrascale, Family::ultrascale_plus};

TEST(Delays, ThePageHasTheTable) {
  const std::string page = test::read_bytes(KUMIKI_TEST_DIR "/../docs/timing.md");
  const auto expect_row = [&](const std::string& name,
                              const std::vector<Picoseconds (*)(const Delays&)>& columns) {
    std::string row = "| " + name + " |";
    for (const auto family : families) {
      const Delays d = delays(family, {1});
      std::string cell;
      for (const auto& column : columns)
        if (column(d) != 0) cell += fmt::format("{}{}", cell.empty() ? "" : ", ", column(d));
      row += cell.empty() ? " |" : " " + cell + " |";
    }
    EXPECT_THAT(page, ::testing::HasSubstr(row + "\n"));
  };
  using D = const Delays&;
  expect_row(
      "flip-flop: clock to output, setup, setup of enable and reset",
      {[](D d) { return d.clk_to_q; }, [](D d) { return d.setup; }, [](D d) { return d.control; }});
  expect_row("LUT, MUXF7, MUXF8",
             {[](D d) { return d.lut; }, [](D d) { return d.muxf7; }, [](D d) { return d.muxf8; }});
  expect_row("carry: into the chain, each position, out of it",
             {[](D d) { return d.carry_entry; }, [](D d) { return d.carry_position; },
              [](D d) { return d.carry_exit; }});
  expect_row("wire through the fabric, one reader", {[](D d) { return d.wire.base; }});
  expect_row("each doubling of the readers", {[](D d) { return d.wire.doubling; }});
  expect_row("each unit of the root of the readers beyond 1", {[](D d) { return d.wire.root; }});
  expect_row("to or from a slice or a block of memory, more", {[](D d) { return d.wire.column; }});
  expect_row("LUT to its carry, MUXF7 or flip-flop", {[](D d) { return d.wire.beside; }});
  expect_row("from slice to slice by a cascade", {[](D d) { return d.wire.cascade; }});
  expect_row("shift register, distributed memory: clock to output",
             {[](D d) { return d.srl_clk_to_q; }, [](D d) { return d.ram_clk_to_q; }});
  expect_row("block RAM: clock to output without and with output register",
             {[](D d) { return d.bram_clk_to_q; }, [](D d) { return d.bram_register_clk_to_q; }});
  expect_row("DSP slice: multiplier, adder",
             {[](D d) { return d.dsp.multiplier; }, [](D d) { return d.dsp.alu; }});
  expect_row("DSP slice: clock to P, to another register's output",
             {[](D d) { return d.dsp.p_clk_to_q; }, [](D d) { return d.dsp.clk_to_q; }});
}

// A faster grade is faster in everything, and so is a newer family.
TEST(Delays, GradesAndFamiliesAreInOrder) {
  const auto all = [](const Delays& d) {
    return std::vector<Picoseconds>{
        d.clk_to_q,      d.lut,          d.carry_entry,  d.carry_exit,    d.wire.base,
        d.wire.doubling, d.srl_clk_to_q, d.ram_clk_to_q, d.bram_clk_to_q, d.bram_setup};
  };
  const auto expect_faster = [&](const Delays& fast, const Delays& slow) {
    const auto f = all(fast), s = all(slow);
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_LT(f[i], s[i]) << i;
  };
  for (const auto family : families)
    for (const int grade : {1, 2})
      expect_faster(delays(family, {grade + 1}), delays(family, {grade}));
  expect_faster(delays(families[1], {1}), delays(families[0], {1}));
  expect_faster(delays(families[2], {1}), delays(families[1], {1}));
}

TEST(Delays, FasterGradesHaveFasterLimits) {
  for (const auto family : families)
    for (const int grade : {1, 2}) {
      const ClockLimits &slow = clock_limits(family, {grade}),
                        &fast = clock_limits(family, {grade + 1});
      EXPECT_LT(slow.clock_tree, fast.clock_tree);
      EXPECT_LT(slow.block_ram, fast.block_ram);
      EXPECT_LT(slow.dsp, fast.dsp);
      EXPECT_LT(slow.no_m_no_ad_pattern, fast.no_m_no_ad_pattern);
      for (const ClockLimits& l : {slow, fast}) {
        EXPECT_LT(l.dsp_pattern, l.dsp);
        EXPECT_LT(l.no_m_pattern, l.no_m);
        EXPECT_LT(l.no_m_no_ad, std::min(l.no_m, l.no_ad));
      }
    }
}

TEST(Delays, NamesOfGrades) {
  Grade g;
  EXPECT_TRUE(grade_from_name("-2", g));
  EXPECT_EQ(g.value, 2);
  EXPECT_TRUE(grade_from_name("3", g));
  EXPECT_EQ(g.value, 3);
  for (const char* wrong : {"", "-", "0", "4", "-2e", "22"})
    EXPECT_FALSE(grade_from_name(wrong, g));
}

}  // namespace delays_test
}  // namespace kumiki::ir::timing
