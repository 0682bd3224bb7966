// SPDX-License-Identifier: Apache-2.0
// The Verilog of small designs, word for word; every tool reads it without a message.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "backends/emit/verilog/verilog.h"
#include "ir/check.h"
#include "ir/text.h"
#include "tests/support/golden.h"
#include "tests/support/lint.h"

namespace kumiki::tests {
namespace verilog_golden_test {

// All files of a design below each other.
std::string verilog_of(const ir::Design& design) {
  ir::Names names(design);
  backends::OutputSet set;
  backends::write_verilog(names, set);
  std::string all;
  for (const auto& file : set.files())
    all += fmt::format("=== {}\n{}", file.name, file.text.view());
  return all;
}

struct Example {
  const char* name;
  const char* design;
};

void PrintTo(const Example& e, std::ostream* out) { *out << e.name; }

class VerilogGolden : public testing::TestWithParam<Example> {};

TEST_P(VerilogGolden, IsWrittenAndAcceptedEverywhere) {
  auto design = ir::parse(GetParam().design, GetParam().name);
  ir::require_legal(*design, {.warnings = false});
  test::expect_golden(fmt::format("verilog/{}.txt", GetParam().name), verilog_of(*design));
  EXPECT_TRUE(lint_everywhere(*design));
}

const Example examples[] = {
    {"register", R"(
design ultrascale+ top hold
module hold
  about "eight bits that wait"
  input clk = %3
  input ce = %4
  input rst = %5
  input d = %6..13
  output q = %14..21
  %14..21 = FDRE*8 C=%3 CE=%4 D=%6..13 R=%5
)"},
    {"counter", R"(
design ultrascale+ top count
module count
  about "a counter of two bits that starts at 2"
  input clk = %3
  output q = %4..5
  name next = %6..7
  %4 = FDRE C=%3 D=%6
  %5 = FDRE C=%3 D=%7 INIT=0x1
  %6 = LUT1 I0=%4 INIT=0x1
  %7 = LUT2 I0=%4 I1=%5 INIT=0x6
)"},
    // Slices, replications, constants, swapped bits; pins that get one bit for all elements.
    {"expressions", R"(
design ultrascale+ top wires
module wires
  input a = %3..10
  input s signed = %11..14
  input b = %15
  output whole = %20..27
  output mixed = %20..22,0,1,1,0,%15*3,%9,%8,%7,%11..14
  output swapped = %10..3
  output extended signed = %11..14,%14*4
  output ones = 1*7
  output zeros = 0*70
  output bit = %4
  output none = 0
  output lut_bits = %28..35
  output inverted signed = %36..39
  %20..27 = LUT3*8 I0=%3..10 I1=%15*8 I2=0*3,1,0*4 INIT=0x96
  %36..39 = LUT1*4 I0=%11..14 INIT=0x1
  %28..35 = LUT2*8 I0=0*8 I1=%20..23,%3..6 INIT=0x8
)"},
    // The same bit is claimed by the first who asks; keywords, case and bad characters give way.
    {"names", R"(
design ultrascale+ top module
module module
  input clk = %3
  input reg = %4
  input Reg = %5
  input n7 = %6
  output out = %10..11
  name sum = %12..15
  name SUM = %16..17
  name "sum" = %18
  name "a\"b  c__" = %19
  name wide = %20..21,%13,%22..23,%16,%24
  name "7up" = %25
  name "größe" = %26
  name "___" = %27
  name n45 = %28
  name out = %29
  %10..11 = FDRE*2 C=%3 D=%12..13
  %12..15 = LUT2*4 I0=%4,%5,%6,%4 I1=%5,%6,%4,%4 INIT=0x6
  %16..17 = FDRE*2 C=%3 D=%14..15
  %18 = FDRE C=%3 D=%16
  %19 = FDRE "fsm state" C=%3 D=%17
  %20..24 = FDRE*5 C=%3 D=%18,%19,%18,%19,%29
  %25 = LUT3 I0=%20 I1=%21 I2=%22 INIT=0x80
  %26 = LUT3 I0=%23 I1=%24 I2=%25 INIT=0x80
  %27 = FDRE "out_reg" C=%3 D=%26
  %28 = FDSE C=%3 D=%27
  %29 = FDRE C=%3 D=%30
  %30 = LUT1 I0=%28 INIT=0x1
)"},
    {"hierarchy", R"(
design 7series top pair
module stage
  about "one register behind a port with an illegal name"
  input clk = %3
  input "in" signed = %4..7
  output q signed = %8..11
  output msb = %7
  %8..11 = FDRE*4 C=%3 D=%4..7
module pair
  input clk = %3
  input x signed = %4..7
  output y signed = %13..16
  output tied = %18..21
  output m = %22
  %8..12 = instance stage "first" clk=%3 in=%4..7
  %13..17 = instance stage clk=%3 in=%8..10,%12
  %18..22 = instance stage clk=%3 in=1,0,1,0
)"},
    {"carry", R"(
design ultrascale+ top add
module add
  input a = %3..12
  input b = %13..22
  output sum = %41..48,%57..58
  output carry = %50
  name half = %23..32
  %23..32 = LUT2*10 I0=%3..12 I1=%13..22 INIT=0x6
  %33..40,%41..48 = CARRY8 CI=0 CI_TOP=0 DI=%3..10 S=%23..30
  %49..56,%57..64 = CARRY8 CI=%40 CI_TOP=0 DI=%11..12,0*6 S=%31..32,0*6
)"},
    {"carry4", R"(
design 7series top add
module add
  input a = %3..6
  input b = %7..10
  input cin = %11
  output sum = %20..23
  output high = %28..31
  %12..15 = LUT2*4 I0=%3..6 I1=%7..10 INIT=0x6
  %16..19,%20..23 = CARRY4 CI=0 CYINIT=%11 DI=%3..6 S=%12..15
  %24..27,%28..31 = CARRY4 CI=%19 CYINIT=0 DI=%3..6 S=%12..15
)"},
    // Both outputs of a LUT, one that nobody reads, wide multiplexers, shift registers.
    {"fabric", R"(
design ultrascale+ top fabric
module fabric
  input clk = %3
  input a = %4..9
  input v = %10..12
  output both = %13..14
  output low = %16
  output mux = %21
  output taps = %22..24
  output last = %28..30
  output short = %31
  %13,%14 = LUT6_2 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=%9 INIT=0x123456789abcdef0
  %15,%16 = LUT6_2 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=1 INIT=0xffff0000ff00ff00
  %17..18 = LUT5*2 I0=%4*2 I1=%5*2 I2=%6*2 I3=%7*2 I4=%8,%9 INIT=0x1
  %19 = LUT4 I0=%4 I1=%5 I2=%6 I3=%7 INIT=0x8001
  %20 = LUT6 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=%9 INIT=0x8000000000000001
  %32 = MUXF7 I0=%17 I1=%18 S=%9
  %33 = MUXF7 I0=%19 I1=%20 S=%9
  %21 = MUXF8 I0=%32 I1=%33 S=%4
  %22..24,%25..27 = SRLC32E*3 A=%4..8 CLK=%3 D=%10..12
  %28..30 = SRL16E*3 A0=0 A1=1 A2=1 A3=1 CE=%9 CLK=%3 D=%25..27 INIT=0x5
  %31 = SRL16E A0=%4 A1=%5 A2=%6 A3=%7 CLK=%3 D=%10
)"},
    {"memory", R"(
design ultrascale+ top memories
module memories
  input clk = %3
  input we = %4
  input re = %5
  input wa = %6..9
  input ra = %10..13
  input d = %14..18
  output lut_ram = %20..24
  output block_ram = %25..29
  output odd = %30..34
  output ultra_ram = %35..39
  output rom = %40..43
  output table = %44
  %20..24 = MEMORY CLK=%3 WE=%4 WADDR=%6..9 WDATA=%14..18 RADDR=%10..13 DEPTH=16 WIDTH=5 ADDRESS_BITS=4
  %25..29 = MEMORY "store" CLK=%3 WE=%4 WADDR=%6..9 WDATA=%14..18 RE=%5 RADDR=%10..13 DEPTH=16 WIDTH=5 ADDRESS_BITS=4 READ=TWICE_REGISTERED STYLE=block CONTENTS=5:1f,0*2,3
  %30..34 = MEMORY CLK=%3 WE=%4 WADDR=%6..9 WDATA=%14..18 RADDR=%10..13 DEPTH=11 WIDTH=5 ADDRESS_BITS=4 READ=REGISTERED
  %35..39 = MEMORY CLK=%3 WE=%4 WADDR=%6..9 WDATA=%14..18 RADDR=%10..13 DEPTH=16 WIDTH=5 ADDRESS_BITS=4 READ=REGISTERED STYLE=ultra
  %40..43 = MEMORY CLK=%3 RE=%5 RADDR=%10..13 DEPTH=16 WIDTH=4 ADDRESS_BITS=4 READ=REGISTERED STYLE=block CONTENTS=4:0,1,4,9,0,9,4,1,0,1,4,9,0,9,4,1
  %44 = MEMORY CLK=%3 RADDR=%10..13 DEPTH=13 WIDTH=1 ADDRESS_BITS=4 CONTENTS=1:1,0,1
)"},
    // Bits that nobody reads, in the middle of a pin and a whole cell of them.
    {"unread", R"(
design ultrascale+ top unread
module unread
  input clk = %3
  input d = %4..7
  input idle = %20
  output q = %9
  name dead = %16..17
  %8..11 = FDRE*4 C=%3 D=%4..7
  %12..15 = FDRE*4 C=%3 D=%4..7
  %16..19 = FDRE*4 C=%3 D=%4..7
)"},
    {"empty", R"(
design ultrascale+ top empty
module empty
  input clk = %3
)"},
};

INSTANTIATE_TEST_SUITE_P(Examples, VerilogGolden, testing::ValuesIn(examples),
                         [](const auto& e) { return e.param.name; });

}  // namespace verilog_golden_test
}  // namespace kumiki::tests
