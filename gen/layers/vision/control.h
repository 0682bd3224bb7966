// SPDX-License-Identifier: Apache-2.0
// The control of a group with a window. Beats of a frame come in, are followed by as many lines of
// nothing as the window reaches down (`flush`) and by as many steps as the pipeline is long
// (`drain`); then the next frame may come. So nothing but one frame is ever inside.
//
// A line of a single beat is followed by a step of nothing: the line memories want a step between
// a write and the next read of the same place.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/vision/plan.h"

namespace kumiki::gen::vision {

struct ControlIn {
  Net rst, valid, eol, eof;
  std::vector<Net> tail;
  Net ready;  // of the next part
};

struct Control {
  Net ready;  // to the part before
  Net step;   // the enable of all the group
  Net fresh;  // nothing of a frame was taken: with `step` and `run` its first beat is
  Net run;

  // About the beat that the next step takes.
  UInt column;
  UInt above, below;  // lines above and below the middle of the window, no more than the radius

  // About the beat that the last step took.
  Net is_beat;            // it is one: of the frame, or of a line of nothing
  Net begins, ends;       // it is the first, the last of its line
  Net has_middle;         // the line in the middle of the window is one of the picture
  Net is_bottom;          // that is its last line
  std::vector<Net> tail;  // of every line of the frame

  Net mute;  // after a reset: what comes out is of no frame
};

Control build_control(Scope& s, const Group& group, const ControlIn& in, Net room);

}  // namespace kumiki::gen::vision
