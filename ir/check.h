// SPDX-License-Identifier: Apache-2.0
// Checks whether a design can be built. Every finding names the module, the cell, the pin and the
// source locations, and says what is required.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/design.h"
#include "ir/message.h"

namespace kumiki::ir {

enum class Severity : std::uint8_t { warning, error };

// A design with warnings can be built.
constexpr Severity severity(Code code) {
  const bool warns = code == code::unused_cell || code == code::unused_input ||
                     code == code::unused_output || code == code::unused_module;
  return warns ? Severity::warning : Severity::error;
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

// Children are checked before parents; the findings come in the order of the design.
std::vector<Finding> check(const Design& design, const CheckOptions& options = {});

// Throws DesignError with all errors, one on each line.
void require_legal(const Design& design, const CheckOptions& options = {});

}  // namespace kumiki::ir
