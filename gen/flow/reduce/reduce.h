// SPDX-License-Identifier: Apache-2.0
// Shrinks a configuration or a netlist that fails to a smaller one that still fails in the same
// way. What "fails" means is the caller's: a function of the text.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "gen/flow/reduce/search.h"

namespace kumiki::reduction {

enum class Form {
  configuration,  // JSON
  verilog,        // modules of instances, wires and assignments; anything else is left as it stands
  netlist,        // the text form of ir/text.h
};
Form form_of(std::string_view text);
std::string_view parts_of(Form form);  // what is counted: "values", "cells"

struct Reduction {
  std::string text;
  std::size_t before = 0, after = 0;  // parts
  std::size_t tries = 0;
  bool finished = true;  // false: the budget was spent before nothing more could go
};

// The text as a reduction would lay it out, with nothing taken away. ConfigError or FileError when
// the text cannot be read; `file` is its name.
std::string laid_out(const std::string& file, const std::string& text, Form form);

// `text` has to be interesting.
Reduction reduce(const std::string& file, const std::string& text, Form form, Search& search);

}  // namespace kumiki::reduction
