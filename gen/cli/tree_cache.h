// SPDX-License-Identifier: Apache-2.0
// Solved compressor trees in the cache, so that a second run of a command does not solve.
#pragma once
#include <string>

#include "backends/support/cache.h"
#include "gen/blocks/compressor/options.h"

namespace kumiki::cli {

class TreeCache : public gen::compressor::TreeStore {
 public:
  TreeCache();
  ~TreeCache() override;
  std::optional<std::string> find(const std::string& request) override;
  void keep(const std::string& request, const std::string& tree) override;

 private:
  std::string key(const std::string& request);
  void give_up(const std::string& why);
  backends::Cache cache_;
  bool is_usable_ = true;
  std::string solver_;  // a hash of this program: another one may find other trees
};

}  // namespace kumiki::cli
