// SPDX-License-Identifier: Apache-2.0
// The door of a pipeline: behind it every frame is whole. What is wrong with a frame is noted, the
// rest of it is filled with zeros, and whatever comes before the next start of a frame is thrown
// away.
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
  UInt last_line;  // lines of the frame less one
  UInt status;
};

Guard build_guard(Scope& s, const Geometry& geometry, const GuardIn& in);

}  // namespace kumiki::gen::vision
