// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "ir/check.h"
#include "ir/text.h"

namespace kumiki::ir {

inline std::vector<std::string> findings(std::string_view text, const CheckOptions& options = {}) {
  std::vector<std::string> out;
  for (const Finding& f : check(*parse(text, "t"), options)) out.push_back(to_string(f));
  return out;
}

inline std::vector<std::string> errors(std::string_view text, CheckOptions options = {}) {
  options.warnings = false;
  return findings(text, options);
}

// A top module with a clock (%3) and eight inputs (%4..11); the lines begin at line 5.
inline std::string top(std::string_view lines, std::string_view family = "ultrascale+") {
  return "design " + std::string(family) + " top m\nmodule m\ninput clk = %3\ninput a = %4..11\n" +
         std::string(lines) + "\n";
}

}  // namespace kumiki::ir
