// SPDX-License-Identifier: Apache-2.0
#include "ir/check/report.h"

#include <fmt/format.h>

#include "ir/label.h"

namespace kumiki::ir {

std::string to_string(const Finding& f) {
  return fmt::format("{}: {} [{}]", f.severity == Severity::error ? "error" : "warning", f.message,
                     f.code.word());
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
  for (const auto& [code, count] : count_)
    if (count > options_.limit)
      add(code,
          fmt::format("{} more findings of this kind are not listed", count - options_.limit));
  return std::move(findings_);
}

}  // namespace checking
}  // namespace kumiki::ir
