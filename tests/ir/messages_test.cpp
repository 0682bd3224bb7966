// SPDX-License-Identifier: Apache-2.0
// Mistakes in the text form of a netlist and limits, as they are printed.
#include "tests/support/messages.h"

#include "ir/limits.h"
#include "ir/text.h"

namespace kumiki::ir {
namespace ir_messages_test {

std::function<void()> reading(const std::string& text) {
  return [text] { parse(text, "adder.net"); };
}

// The line is the fourth.
std::function<void()> line(const std::string& text) {
  return reading("design ultrascale+ top m\nmodule m\n  input a = %3..4\n  " + text + "\n");
}

TEST(NetlistMessages, AsTheyArePrinted) {
  test::expect_messages(
      "messages/netlist.txt",
      {{code::design_line, reading("module m\n")},
       {code::unknown_family, reading("design virtex2 top m\n")},
       {code::unknown_module, reading("design ultrascale+ top adder\nmodule m\n")},
       {code::outside_module, reading("design ultrascale+\ninput a = %3\n")},
       {code::unknown_word, line("wire x")},
       {code::duplicate_name, line("input a = %5")},
       {code::driven_nets, line("input b = 0")},
       {code::sign_missing, line("input b %5")},
       {code::word_missing, line("input = %5")},
       {code::line_goes_on, line("input b = %5 %6")},
       {code::bad_quote, line("input \"b = %5")},
       {code::net_expected, line("input b = 5")},
       {code::unknown_primitive, line("%5 = LUT7 I0=%3")},
       {code::no_vector, line("%5..20 = CARRY4*2 DI=0*8 S=0*8")},
       {code::wrong_net_count, line("%5..6 = LUT1 I0=%3")},
       {code::count_too_large, line("%5 = LUT1*2000000 I0=%3")},
       {code::unknown_pin, line("%5 = LUT1 A=%3")},
       {code::given_twice, line("%5 = LUT1 I0=%3 I0=%4")},
       {code::over_limit, [] {
          require_at_most(20'000, 65'536, "the heap of one compressor tree", "bits",
                          "--max-heap-bits");
        }}});
}

}  // namespace ir_messages_test
}  // namespace kumiki::ir
