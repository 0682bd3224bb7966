// SPDX-License-Identifier: Apache-2.0
// Shows the solver of compressor trees to people: the incumbent and bound of the current search,
// and one line for every better tree if stderr is no terminal. Ctrl-C ends the program; with
// --take-incumbent the first Ctrl-C ends the search and takes the best tree so far.
#pragma once
#include <optional>

#include "ir/activity.h"
#include "ir/context.h"
#include "ir/interrupt.h"

namespace kumiki::cli {

class SolverWatch : public ir::SearchWatcher {
 public:
  explicit SolverWatch(bool take_incumbent);
  void begin(const std::string& what) override;
  bool progress(const Progress& p) override;
  bool pulse() override;
  bool is_enough() const override { return enough_; }
  void end() override;

 private:
  bool terminal_, take_incumbent_, enough_ = false;
  Progress last_{};
  std::optional<ir::Activity> activity_;
  std::optional<ir::TakesCtrlC> ctrl_c_;
};

}  // namespace kumiki::cli
