// SPDX-License-Identifier: Apache-2.0
// The settings of a caller for all work done on its behalf. Nothing is global: several contexts may
// be in use at once, each in a thread of its own.
#pragma once
#include <optional>
#include <string>

#include "ir/limits.h"

namespace kumiki::ir {

// Observes the progress of searches, and may stop them.
class SearchWatcher {
 public:
  struct Progress {
    unsigned stages = 0;  // of the best so far
    double luts = 0;
    double bound = 0;
    unsigned round = 0, rounds = 0;
  };
  virtual ~SearchWatcher() = default;
  virtual void begin(const std::string& /*what is looked for*/) {}
  virtual bool progress(const Progress& p) = 0;     // false: stop and keep the best so far
  virtual bool pulse() { return true; }             // about ten times a second; false: stop as well
  virtual bool is_enough() const { return false; }  // a search was stopped: start no more long ones
  virtual void end() {}
};

// Keeps the results of searches as texts after the end of the program. Texts that come back are
// checked.
class SearchStore {
 public:
  virtual ~SearchStore() = default;
  virtual std::optional<std::string> find(const std::string& request) = 0;
  virtual void keep(const std::string& request, const std::string& result) = 0;
};

struct Context {
  Limits limits = {};
  SearchWatcher* watcher = nullptr;  // none: searches run to their end
  SearchStore* store = nullptr;      // none: everything is searched again
};

}  // namespace kumiki::ir
