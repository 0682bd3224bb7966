// SPDX-License-Identifier: Apache-2.0
#include "ir/check/report.h"

#include <fmt/format.h>

#include "ir/label.h"

namespace kumiki::ir {

std::string_view code_word(Code code) {
  static constexpr std::array<std::string_view, code_count> words{
      "no-top",        "recursion",      "undriven",       "open-pin",    "multiply-driven",
      "clock",         "parameter",      "illegal",        "loop",        "carry-wiring",
      "mux-wiring",    "cascade-wiring", "cascade-height", "unused-cell", "unused-input",
      "unused-output", "unused-module"};
  return words[static_cast<unsigned>(code)];
}

std::string to_string(const Finding& f) {
  return fmt::format("{}: {} [{}]", f.severity == Severity::error ? "error" : "warning", f.message,
                     code_word(f.code));
}

namespace checking {

void Report::add(Code code, const Module& m, PlaceId place, std::string message) {
  findings_.push_back({severity(code), code, std::string(m.name()), place,
                       fmt::format("module {}: {}", bare_or_quoted(m.name()), message)});
}

void Report::add(Code code, std::string message) {
  findings_.push_back({severity(code), code, {}, {}, std::move(message)});
}

std::vector<Finding> Report::take() {
  for (unsigned c = 0; c < code_count; ++c)
    if (count_[c] > options_.limit)
      add(static_cast<Code>(c),
          fmt::format("{} more findings of this kind are not listed", count_[c] - options_.limit));
  return std::move(findings_);
}

}  // namespace checking
}  // namespace kumiki::ir
