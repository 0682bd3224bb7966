// SPDX-License-Identifier: Apache-2.0
// The write side and the read side of the line buffer, which is a ring of words. Both only count
// beats: the loader counts how many more fit, the read side how many more the next group of pixels
// needs. The places of groups are computed one group ahead, and addresses follow their issue.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// A beat that enters the ring: of the stream, or of the border.
struct Loader {
  Net ready;                   // takes a beat of the stream
  Net write;                   // writes a beat into the ring
  std::vector<Net> is_border;  // which of its words are border
  UInt address;                // destination, in beats
};

struct FeederIn {
  Net rst, in_valid;
  Net loaded;  // all weights are loaded
  Net room;    // the exit has room for the results of a set
};

struct Feeder {
  Loader loader;
  // Word addresses for row 0, for every pixel and position, `address_after` clocks after their
  // issue.
  std::vector<UInt> pixel_addresses;
  UInt weight_address;
  Net goes;                       // a set begins in this clock
  Net start;                      // the operands at row 0's slices in this clock begin a set
  Net last;                       // in a set's last clock: it is the last set of its frame
  Net ends = ir::net_open;        // with two clocks: a set's last clock
  Net frame_done = ir::net_zero;  // if weights come for every frame: its last word is issued
};

Feeder build_feeder(Scope& s, const MatrixPlan& plan, const FeederIn& in);

}  // namespace kumiki::gen::matrix
