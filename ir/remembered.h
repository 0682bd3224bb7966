// SPDX-License-Identifier: Apache-2.0
// Caches results of searches as long as it lives, in front of another store, if there is one.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "ir/context.h"

namespace kumiki::ir {

class Remembered : public SearchStore {
 public:
  explicit Remembered(SearchStore* behind = nullptr) : behind_(behind) {}
  std::optional<std::string> find(const std::string& request) override {
    if (const auto here = results_.find(request); here != results_.end()) return here->second;
    return behind_ ? behind_->find(request) : std::nullopt;
  }
  void keep(const std::string& request, const std::string& result) override {
    results_.insert_or_assign(request, result);
    if (behind_) behind_->keep(request, result);
  }

 private:
  SearchStore* behind_;
  std::map<std::string, std::string> results_;
};

}  // namespace kumiki::ir
