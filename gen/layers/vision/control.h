// SPDX-License-Identifier: Apache-2.0
// The control of a group with a window. After the beats of a frame come as many empty lines as the
// window reaches down (`flush`), then as many steps as the pipeline is long (`drain`); then the
// next frame may come. So there is never more than one frame inside.
//
// A line of a single beat is followed by an empty step: the line memories need a step between a
// write and the next read of the same address.
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
  Net ready;  // to the previous part
  Net step;   // the enable of the whole group
  Net fresh;  // no beat of a frame was taken yet: the next `step` with `run` takes the first
  Net run;

  // For the beat that the next step takes.
  UInt column;
  UInt above, below;  // lines above and below the middle of the window, no more than the radius

  // For the beat that the last step took.
  UInt last_column;       // its column
  Net is_beat;            // the step took a beat: of the frame, or of an empty line
  Net begins, ends;       // the beat is the first, the last of its line
  Net has_middle;         // the middle line of the window is a line of the picture
  Net is_bottom;          // and it is the last one
  std::vector<Net> tail;  // of every line of the frame

  Net mute;  // after a reset: the output belongs to no frame
};

Control build_control(Scope& s, const Group& group, const ControlIn& in, Net room);

}  // namespace kumiki::gen::vision
