// SPDX-License-Identifier: Apache-2.0
// Is a design one that can be built? Every finding names the module, the cell, the pin and the
// places, and says what would be legal.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/design.h"

namespace kumiki::ir {

enum class Severity : std::uint8_t { warning, error };

// What can be wrong; the words of code_word() are stable.
enum class Code : std::uint8_t {
  no_top,           // nothing says which module is the design
  recursion,        // a module contains itself
  undriven,         // a pin or output reads a net that nothing drives
  open_pin,         // a pin or output that needs a value is open
  multiply_driven,  // two drivers of one net, or a driver of a constant
  clock,            // a clock pin not on the module's clk, or clk read as data
  parameter,        // a value that its parameter cannot hold, contents that the memory cannot
  illegal,          // a rule of the primitive or of the family is broken
  loop,             // a combinational loop
  carry_wiring,     // CI of a CARRY4
  mux_wiring,       // data inputs of MUXF7 and MUXF8
  cascade_wiring,   // PCIN, ACIN, BCIN, CARRYCASCIN, MULTSIGNIN and their outputs
  cascade_height,   // a column of slices longer than the device's
  unused_cell,      // warnings from here on: a cell, or elements of one, that reach no output
  unused_input,     // an input port that reaches no output
  unused_output,    // an output port that no instance uses
  unused_module,    // a module that the top does not contain
};
inline constexpr unsigned code_count = static_cast<unsigned>(Code::unused_module) + 1;
std::string_view code_word(Code code);  // "undriven", "multiply-driven", …
constexpr Severity severity(Code code) {
  return code < Code::unused_cell ? Severity::error : Severity::warning;
}

struct Finding {
  Severity severity;
  Code code;
  std::string module;
  PlaceId place;
  std::string message;
};
std::string to_string(const Finding& finding);  // "error: module top: … [undriven]"

struct CheckOptions {
  bool warnings = true;
  std::uint32_t cascade_height = 0;  // slices in a column of the target; 0: no limit
  std::uint32_t limit = 100;         // findings of one code; the last says how many more there are
};

// Modules are looked at children before parents; the order of the findings is that of the design.
std::vector<Finding> check(const Design& design, const CheckOptions& options = {});

// Throws DesignError with all errors, one a line.
void require_legal(const Design& design, const CheckOptions& options = {});

}  // namespace kumiki::ir
