// SPDX-License-Identifier: Apache-2.0
// What reaches no output is taken away, and nothing else: the rest keeps nets, order and names.
#include <gtest/gtest.h>

#include <array>

#include "ir/text.h"

namespace kumiki::ir {
namespace sweep_test {

std::string swept(const std::string& module) {
  auto design =
      parse("design ultrascale+ top m\nmodule m\ninput clk = %3\ninput a = %4..5\n" + module);
  design->top().sweep();
  const auto text = print(design->top());
  return text.substr(text.find("\n", text.find("input a")) + 1);
}

TEST(Sweep, CellsAndElementsThatReachNoOutput) {
  EXPECT_EQ(swept("output y = %10,%12..13\n"
                  "%10..17 = FDRE*8 C=%3 D=%20..27\n"
                  "%20..27 = LUT2*8 I0=%4*8 I1=%5,%4,%5,%4,%5*4 INIT=0x8\n"
                  "%30 = LUT1 \"alone\" I0=%10\n"),
            swept("output y = %10,%12..13\n"
                  "%10 = FDRE C=%3 D=%20\n"
                  "%12..13 = FDRE*2 C=%3 D=%22..23\n"
                  "%20 = LUT2 I0=%4 I1=%5 INIT=0x8\n"
                  "%22..23 = LUT2*2 I0=%4*2 I1=%5,%4 INIT=0x8\n"));
}

// A ring of registers that only feeds itself; a cell with one output that is read stays whole.
TEST(Sweep, RingsGoAndPartsOfACellStay) {
  EXPECT_EQ(swept("output y = %25\n"
                  "%10 = FDRE C=%3 D=%11\n%11 = LUT2 I0=%10 I1=%4 INIT=0x6\n"
                  "%20..27 = CARRY4 \"sum\" DI=0*4 S=%4*4\n"),
            swept("output y = %25\n%20..27 = CARRY4 \"sum\" DI=0*4 S=%4*4\n"));
}

// What a module does not read needs no driver where it is placed.
TEST(Sweep, InputsThatAModuleDoesNotRead) {
  auto design = parse(
      "design ultrascale+ top m\n"
      "module m\ninput a = %4..5\noutput y = %21\n"
      "%20 = LUT1 I0=%4 INIT=0x1\n%21 = instance n \"u\" a=%5 b=%20\n"
      "module n\ninput a = %3\ninput b = %4\noutput q = %5\n%5 = LUT1 I0=%3 INIT=0x1\n"
      "%6 = LUT1 I0=%4 INIT=0x1\n");
  design->module({1}).sweep();
  design->top().sweep();
  EXPECT_EQ(print(*design), print(*parse("design ultrascale+ top m\n"
                                         "module m\ninput a = %4..5\noutput y = %21\n"
                                         "%21 = instance n \"u\" a=%5 b=0\n"
                                         "module n\ninput a = %3\ninput b = %4\noutput q = %5\n"
                                         "%5 = LUT1 I0=%3 INIT=0x1\n")));
}

// Of a cell that became another one the new pins count, and no net is kept for the old ones.
TEST(Sweep, WhatACellReadBeforeItWasReplaced) {
  auto design = parse(
      "design ultrascale+ top m\nmodule m\ninput a = %4..5\noutput y = %7\n"
      "%6 = LUT1 I0=%5 INIT=0x1\n%7 = LUT2 \"made\" I0=%4 I1=%6 INIT=0x2\n");
  Module& m = design->top();
  const std::array<Net, 1> in{Net{4}};
  const std::uint64_t inverts = 1;
  m.replace_cell({1}, Kind::lut1, in, {&inverts, 1});
  m.sweep();
  EXPECT_EQ(print(*design), print(*parse("design ultrascale+ top m\nmodule m\ninput a = %4..5\n"
                                         "output y = %7\n%7 = LUT1 \"made\" I0=%4 INIT=0x1\n")));
  EXPECT_EQ(m.all_inputs().size(), 1u);
  EXPECT_FALSE(m.reads_input(1));
}

// A comment stays in front of what is left of what it is about.
TEST(Sweep, RemarksMoveToTheNextCell) {
  Design design;
  Module& m = design.add_module("m");
  design.set_top(m.id());
  const Net a = m.add_input("a", 1);
  const std::uint64_t inverts = 1;
  m.remark("dead");
  m.cell(m.add_cell(Kind::lut1, 1, {&a, 1}, {&inverts, 1}, {}));
  m.remark("first");
  m.cell(m.add_cell(Kind::lut1, 1, {&a, 1}, {&inverts, 1}, {}));
  const Net y = m.cell(m.add_cell(Kind::lut1, 1, {&a, 1}, {&inverts, 1}, {})).out;
  m.add_output("y", {&y, 1});
  m.remark("behind");
  m.sweep();
  ASSERT_EQ(m.cells().size(), 1u);
  ASSERT_EQ(m.remarks().size(), 1u);
  EXPECT_EQ(m.remarks()[0].cell, 0u);
  EXPECT_EQ(design.text(m.remarks()[0].line), "first");
}

}  // namespace sweep_test
}  // namespace kumiki::ir
