// SPDX-License-Identifier: Apache-2.0
// Caches solved compressor trees and queues of pipelines, so that a second run does not search
// again.
#pragma once
#include <optional>
#include <string>

#include "backends/support/cache.h"
#include "ir/context.h"

namespace kumiki::flow {

class TreeCache : public ir::SearchStore {
 public:
  explicit TreeCache(const backends::Cache& cache) : cache_(cache) {}
  std::optional<std::string> find(const std::string& request) override;
  void keep(const std::string& request, const std::string& tree) override;

 private:
  static std::string key(const std::string& request);
  void give_up(const std::string& why);
  backends::Cache cache_;
  bool is_usable_ = true;
};

}  // namespace kumiki::flow
