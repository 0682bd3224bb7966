// SPDX-License-Identifier: Apache-2.0
// A program's settings for all its calls. Nothing is global: two contexts may be in use at once,
// each in a thread of its own.
//
//   flow::Context context;
//   context.limits.cells = 10'000'000;
//   flow::Project project("cfg.json", {.context = context});
#pragma once
#include "backends/support/cache.h"
#include "gen/flow/tree_cache.h"
#include "ir/context.h"

namespace kumiki::flow {

class Context {
 public:
  explicit Context(const backends::Cache& cache = {}) : cache_(cache), trees_(cache) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ir::Limits limits;
  ir::SearchWatcher* watcher = nullptr;  // watches searches for compressor trees
  bool keeps_trees = true;               // in the cache

  const backends::Cache& cache() const { return cache_; }  // for VerilatorOptions
  // The part that generators use; must not outlive this context.
  operator ir::Context() { return {limits, watcher, keeps_trees ? &trees_ : nullptr}; }

 private:
  backends::Cache cache_;
  TreeCache trees_;
};

}  // namespace kumiki::flow
