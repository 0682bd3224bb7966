// SPDX-License-Identifier: Apache-2.0
// The solver of compressor trees before people: a bar with the incumbent and its bound on a
// terminal, a line for every better tree elsewhere, both on stderr. Ctrl-C keeps the best tree.
#pragma once
#include <optional>

#include "gen/compressor/options.h"
#include "ir/interrupt.h"

namespace kumiki::cli {

class SolverWatch : public gen::compressor::Watcher {
 public:
  explicit SolverWatch(bool quiet);
  ~SolverWatch() override;
  void begin() override;
  bool progress(const Progress& p) override;
  void end() override;

 private:
  bool quiet_, terminal_;
  Progress last_{};
  std::optional<ir::TakesCtrlC> ctrl_c_;
};

}  // namespace kumiki::cli
