// SPDX-License-Identifier: Apache-2.0
// The entrance of a pipeline: after it every frame is complete. If a frame is wrong, the guard sets
// a status bit and fills the rest of the frame with zeros. It drops everything before the next
// start of a frame.
#pragma once
#include "gen/layers/vision/ports.h"

namespace kumiki::gen::vision {

struct GuardIn {
  Net rst, clear_status;
  UInt width, height;
  Net valid, user, last;
  std::vector<UInt> data;
  Net ready;  // of the first group
};

struct Guard {
  Net ready;  // to the sender
  Net valid, eol, eof;
  std::vector<Net> tail;
  std::vector<UInt> data;
  UInt last_line;  // lines of the frame minus one
  UInt status;
};

Guard build_guard(Scope& s, const Geometry& geometry, const GuardIn& in);

}  // namespace kumiki::gen::vision
