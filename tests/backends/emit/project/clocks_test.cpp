// SPDX-License-Identifier: Apache-2.0
// Constraints of a netlist with two clocks: exceptions for the registers that say so, by their
// paths, and for no others.
#include "backends/emit/project/clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/emit/project/project.h"
#include "backends/emit/verilog/verilog.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "ir/check.h"
#include "ir/text.h"

namespace kumiki::backends {
namespace project_clocks_test {

using ::testing::HasSubstr;
using ::testing::Not;

// Two placements of a core: a word of two bits goes to clk2x with two fast periods, back with two,
// and a bit with one each way.
constexpr const char* core_text =
    "design ultrascale+ top m\n"
    "module m\n"
    "  input clk = %3\n"
    "  input clk2x = %4\n"
    "  input d = %5..6\n"
    "  output q = %7..8\n"
    "  output r = %9..10\n"
    "  %7..8 = instance core \"one\" clk=%3 clk2x=%4 d=%5..6\n"
    "  %9..10 = instance core \"two\" clk=%3 clk2x=%4 d=%6,%5\n"
    "module core\n"
    "  input clk = %3\n"
    "  input clk2x = %4\n"
    "  input d = %5..6\n"
    "  output q = %24..25\n"
    "  %10 = FDRE \"toggle\" C=%3 D=%11\n"
    "  %11 = LUT1 I0=%10 INIT=1\n"
    "  %12 = FDSE \"seen\" C=%4 D=%10 CROSSING=each\n"
    "  %13 = LUT2 I0=%10 I1=%12 INIT=6\n"
    "  %14 = FDRE \"phase\" C=%4 D=%13 CROSSING=each\n"
    "  %20..21 = FDRE*2 \"late\" C=%4 CE=%14 D=%5..6 CROSSING=second\n"
    "  %22 = FDRE \"early\" C=%4 D=%21\n"
    "  %24 = FDRE \"back\" C=%3 D=%20 CROSSING=first\n"
    "  %25 = FDRE \"soon\" C=%3 D=%22 CROSSING=each\n";

TEST(Clocks, ExceptionsAreWhatRegistersSay) {
  const auto design = ir::parse(core_text);
  ir::require_legal(*design);
  const ir::Names names(*design);
  EXPECT_EQ(clock_exceptions(names),
            "set late [get_cells {one/late[*] two/late[*]}]\n"
            "set_multicycle_path -setup -end 2 -from [get_clocks clk] -to $late\n"
            "set_multicycle_path -hold -end 1 -from [get_clocks clk] -to $late\n"
            "set late [get_cells {one/back two/back}]\n"
            "set_multicycle_path -setup -start 2 -from [get_clocks clk2x] -to $late\n"
            "set_multicycle_path -hold -start 1 -from [get_clocks clk2x] -to $late\n");
}

std::string file(const OutputSet& out, const std::string& name) {
  const auto* found = out.find(name);
  EXPECT_NE(found, nullptr) << name;
  return found ? std::string(found->text.view()) : "";
}

TEST(Clocks, ThePairIsConstrainedAndMade) {
  const auto design = ir::parse(core_text);
  const ir::Names names(*design);
  OutputSet out;
  const auto verilog = write_verilog(names, out);
  write_project(names, verilog, out, {});
  const auto xdc = file(out, "m_ooc.xdc"), tcl = file(out, "m_ooc.tcl");
  // clk2x has the period that a single clock would have.
  EXPECT_THAT(xdc, HasSubstr("create_clock -name clk -period 4.000 [get_ports clk]\n"));
  EXPECT_THAT(xdc, HasSubstr("create_clock -name clk2x -period 2.000 [get_ports clk2x]\n"));
  EXPECT_THAT(xdc, HasSubstr("set_multicycle_path -setup -end 2"));
  EXPECT_THAT(tcl, HasSubstr("create_clock -name clk2x -period [expr {$setting(period) / 2.0}] "
                             "[get_ports clk2x]"));
  EXPECT_THAT(file(out, "m.v"), HasSubstr("input wire clk2x"));
  // Pins and parameters of the module that makes the pair are those that Yosys knows of the
  // vendor's.
  write_file(KUMIKI_TEST_TMP "/m_clocks.v", file(out, "m_clocks.v"));
  const auto said =
      run_process({"yosys", "-q", "-p",
                   "read_verilog -lib +/xilinx/cells_xtra.v; read_verilog m_clocks.v; "
                   "hierarchy -check -top m_clocks; check -assert"},
                  KUMIKI_TEST_TMP);
  EXPECT_EQ(said.status, 0) << said.output;
}

TEST(Clocks, OneClockHasNoPair) {
  const auto design = ir::parse(
      "design ultrascale+ top m\nmodule m\ninput clk = %3\ninput d = %4\noutput q = %5\n"
      "%5 = FDRE C=%3 D=%4\n");
  const ir::Names names(*design);
  OutputSet out;
  write_project(names, write_verilog(names, out), out, {});
  EXPECT_EQ(out.find("m_clocks.v"), nullptr);
  EXPECT_THAT(file(out, "m_ooc.xdc"), HasSubstr("-period 2.000 [get_ports clk]\n"));
  EXPECT_THAT(file(out, "m_ooc.xdc"), Not(HasSubstr("clk2x")));
  EXPECT_EQ(clock_exceptions(names), "");
}

}  // namespace project_clocks_test
}  // namespace kumiki::backends
