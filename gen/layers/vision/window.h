// SPDX-License-Identifier: Apache-2.0
// Pixels line by line become windows. Line memories hold the lines above; multiplexers put lines
// for those past the top and the bottom; the column part of the operation sees K lines at a time;
// its words run through delay lines, and multiplexers at the taps take others for those past the
// ends of the line. Every tap is read as late as its slice wants it: delaying what selects is
// cheaper than delaying what is selected.
#pragma once
#include "gen/layers/vision/control.h"

namespace kumiki::gen::vision {

struct Windows {
  Lanes values;  // [lane][tap of the operation]
  Lanes middle;  // [pixel][channel], where the window keeps it; as late as the operation's results
};

// `data` is [pixel][channel] of the beat that the next step takes.
Windows build_windows(Scope& s, const Group& group, const Control& control,
                      const std::vector<UInt>& data);

}  // namespace kumiki::gen::vision
