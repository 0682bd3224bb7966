// SPDX-License-Identifier: Apache-2.0
// Where results wait until they are taken, and the count of sets that still fit. A set begins only
// if there is room for it, so it never has to stop.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// Counts the sets that still fit as a negative number, so that its sign shows whether there is
// room.
class Room {
 public:
  Room(Scope& s, const MatrixPlan& plan, Net reset);
  Net some() const { return count_.q().msb(); }
  void update(Net begins, Net taken);  // a set begins; the results of a set were taken

 private:
  Scope& s_;
  Reg<SInt> count_;
};

struct Results {
  Net valid, last;
  std::vector<std::vector<UInt>> words;  // [column]
};

// `arriving` is valid for one clock only.
Results build_exit(Scope& s, const MatrixPlan& plan, const Results& arriving, Net ready, Net reset);

}  // namespace kumiki::gen::matrix
