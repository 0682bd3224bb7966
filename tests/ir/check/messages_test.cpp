// SPDX-License-Identifier: Apache-2.0
// A netlist for every finding, and how it is printed.
#include "tests/support/messages.h"

#include "tests/ir/check/findings.h"

namespace kumiki::ir {
namespace check_messages_test {

std::function<void()> checking(const std::string& text, const CheckOptions& options = {}) {
  return [=] { require_legal(*parse(text, "adder.net"), options); };
}

// A module with both clocks and an input; the lines begin at line 7.
std::string two(const std::string& lines) {
  return "design ultrascale+ top m\nmodule m\ninput clk = %3\ninput clk2x = %4\ninput d = %5\n\n" +
         lines + "\n";
}

TEST(CheckMessages, Errors) {
  const std::string slice = "%1000..1161 = DSP48E2 \"d1\" CLK=%3";
  test::expect_messages(
      "messages/design.txt",
      {{code::no_top, checking("design ultrascale+\nmodule m\n")},
       {code::recursion, checking("design ultrascale+ top m\nmodule m\n- = instance n\n"
                                  "module n\n- = instance m\n")},
       {code::undriven, checking(top("%30 = LUT2 I0=%20 I1=%4"))},
       {code::open_pin, checking(top("%20 = LUT1 I0=open"))},
       {code::multiply_driven, checking(top("%20 = LUT1 I0=%4\n%20 = FDRE \"q\" C=%3 D=%4"))},
       {code::clock, checking(top("%20 = FDRE C=%4 D=%5"))},
       {code::clock_pair,
        checking("design ultrascale+ top m\nmodule m\ninput clk = %3\ninput clk2x = %4\n"
                 "input d = %5\noutput q = %20\n\n%20 = instance c \"u0\" clk=%4 clk2x=%3 a=%5\n"
                 "module c\ninput clk = %3\ninput clk2x = %4\ninput a = %5\noutput q = %6\n"
                 "%6 = FDRE C=%3 D=%5\n")},
       {code::clock_crossing, checking(two("%20 = FDRE \"q\" C=%4 D=%5"))},
       {code::clock_control, checking(two("%20 = FDRE \"q\" C=%4 CE=%5 D=0"))},
       {code::clock_phase, checking(two("\n\n\n\n%20 = FDRE \"q\" C=%4 D=%5 CROSSING=second"))},
       {code::parameter, checking(top("%20 = LUT1 I0=%4 INIT=4"))},
       {code::illegal, checking(top("%20..35 = CARRY8 DI=0*8 S=%4..11", "7series"))},
       {code::loop, checking(top("%20 = LUT2 I0=%4 I1=%20"))},
       {code::carry_wiring, checking(top("%20..27 = CARRY4 CI=%4 DI=0*4 S=%5..8"))},
       {code::mux_wiring, checking(top("%20 = LUT1 I0=%4\n%21 = MUXF7 I0=%20 I1=%5 S=%6"))},
       {code::cascade_wiring, checking(top(slice + " CARRYCASCIN=%4"))},
       {code::cascade_height,
        checking(top(slice + "\n%2000..2161 = DSP48E2 \"d2\" CLK=%3 PCIN=%1105..1152"),
                 {.cascade_height = 1})}});
}

TEST(CheckMessages, Warnings) {
  std::string text;
  for (const char* lines : {"%10 = LUT1 I0=%4", "input c = %10",
                            "output y = %22\n%20..22 = instance n a=%4\nmodule n\ninput a = %3\n"
                            "output p = %3\noutput q = %4,%4\n%4 = LUT1 I0=%3",
                            "module o"}) {
    const auto design = parse(
        std::string("design ultrascale+ top m\nmodule m\ninput a = %4..5\noutput z = %4..5\n") +
            lines + "\n",
        "adder.net");
    for (const Finding& f : check(*design)) text += to_string(f) + "\n";
  }
  test::expect_golden("messages/warnings.txt", text);
}

}  // namespace check_messages_test
}  // namespace kumiki::ir
