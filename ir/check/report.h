// SPDX-License-Identifier: Apache-2.0
// Collects findings; past the limit of a code they are only counted.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ir/check.h"

namespace kumiki::ir::checking {

class Report {
 public:
  explicit Report(const CheckOptions& options) : options_(options) {}

  // Call this before making the message, because there may be a million findings.
  bool wants(Code code) {
    if (severity(code) == Severity::warning && !options_.warnings) return false;
    return count_[code]++ < options_.limit;
  }
  void add(Code code, const Module& m, PlaceId place, std::string message);
  void add(Code code, std::string message);  // about the whole design
  bool has_errors() const {
    return std::any_of(findings_.begin(), findings_.end(),
                       [](const Finding& f) { return f.severity == Severity::error; });
  }
  std::vector<Finding> take();

 private:
  const CheckOptions& options_;
  std::map<Code, std::uint32_t> count_;
  std::vector<Finding> findings_;
};

}  // namespace kumiki::ir::checking
