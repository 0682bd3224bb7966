// SPDX-License-Identifier: Apache-2.0
// The writing and the reading side of the line buffer, which is a ring of words. Both only count
// beats: the loader how many more fit, the reading side how many more the next group of pixels
// needs. Where the groups are is worked out a group ahead, and addresses follow their issue.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// A beat that goes into the ring: of the stream, or of the border.
struct Loader {
  Net ready;                   // a beat of the stream is taken
  Net write;                   // the ring takes a beat
  std::vector<Net> is_border;  // which of its words are of the border
  UInt address;                // where it goes, in beats
};

struct FeederIn {
  Net rst, in_valid;
  Net loaded;  // all weights are there
  Net room;    // the exit has room for the results of a set
};

struct Feeder {
  Loader loader;
  // Addresses of words for row 0, of every pixel and position, `address_after` clocks after their
  // issue.
  std::vector<UInt> pixel_addresses;
  UInt weight_address;
  Net goes;   // a set begins in this clock
  Net start;  // a set begins with the operands that come to row 0's slices in this clock
  Net last;   // in a set's last clock: it is the last one of its frame
  Net ends = ir::net_open;  // with two clocks: a set's last clock
};

Feeder build_feeder(Scope& s, const MatrixPlan& plan, const FeederIn& in);

}  // namespace kumiki::gen::matrix
