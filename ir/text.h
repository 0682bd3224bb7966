// SPDX-License-Identifier: Apache-2.0
// The text form of a design: one line a cell, so that tests can say what they expect and a diff
// says what changed.
//
//   design ultrascale+ top count
//
//   module count
//     about "a counter of two bits"
//     input clk = %3
//     output q signed = %4..5
//     name next = %6..7
//     %4..5 = FDRE*2 "state" C=%3 D=%6..7 INIT=0x1
//     %6 = LUT1 I0=%4 INIT=0x1
//     %7 = LUT2 I0=%4 I1=%5 INIT=0x6
//     %8..9 = instance add2 "u0" a=%4..5
//     %10..13 = MEMORY CLK=%3 RADDR=%4..5 DEPTH=4 WIDTH=4 ADDRESS_BITS=2 CONTENTS=4:f,0*2,3
//
// Nets keep their numbers, least significant bit first: %4..7 runs up, %7..4 down, %4*3 and 0*3
// repeat, 0 and 1 are constants, "open" is no connection, "-" is no net at all. On the left are the
// nets that a cell drives, on the right its pins and parameters by name. Default values are left
// out (for pins: the tie of an unused pin). A net that nothing drives, or that two cells drive, can
// be written; only the checks refuse it. What a register declares about data from the other clock
// (Crossing) follows its parameters: CROSSING=each, first or second. Names that are not plain words
// are quoted. A # begins a comment. Modules may come in any order.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ir/design.h"

namespace kumiki::ir {

struct TextOptions {
  bool places = false;  // as a comment at the end of the line
};
std::string print(const Design& design, TextOptions options = {});
std::string print(const Module& module, TextOptions options = {});

// Throws DesignError "line:column: message", with a file "file:line:column: message". The source
// location of every cell and port is its line (of the file, or of "text").
std::unique_ptr<Design> parse(std::string_view text, std::string_view file = {});

}  // namespace kumiki::ir
