// SPDX-License-Identifier: Apache-2.0
// Where results wait until they are taken, and the count of sets for which there is room: a set
// begins only against room, so what has begun never stops.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// How many sets the exit has no room for any more: a negative number, so that its sign says whether
// there is room.
class Room {
 public:
  Room(Scope& s, const MatrixPlan& plan, Net reset);
  Net some() const { return count_.q().msb(); }
  void update(Net begins, Net taken);  // a set begins, the results of one were taken

 private:
  Scope& s_;
  Reg<SInt> count_;
};

struct Results {
  Net valid, last;
  std::vector<std::vector<UInt>> words;  // [column]
};

// `arriving` is valid for a clock and then lost.
Results build_exit(Scope& s, const MatrixPlan& plan, const Results& arriving, Net ready, Net reset);

}  // namespace kumiki::gen::matrix
