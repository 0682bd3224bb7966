// SPDX-License-Identifier: Apache-2.0
// The core (core.h) for columns that are trees. No address is skewed, so all rows of the line
// buffer share memories, and so do the weights of all columns.
#pragma once
#include "gen/layers/matrix/core.h"

namespace kumiki::gen::matrix {

class TreeCore {
 public:
  TreeCore(Scope& s, const MatrixPlan& plan, const CoreIn& in);
  Net done() const { return done_; }         // a set's last operands are at the columns
  std::vector<std::vector<UInt>> columns();  // the results of every column

 private:
  std::vector<UInt> pixels();   // [row]; then a flag for border
  std::vector<UInt> weights();  // [channel * rows + row]
  // A copy for every few columns, each from its own register, `clocks` later.
  std::vector<Net> spread(Net n, int clocks) const;

  Scope& s_;
  const MatrixPlan& p_;
  const CoreIn& in_;
  Net first_ = ir::net_one, done_;
};

}  // namespace kumiki::gen::matrix
