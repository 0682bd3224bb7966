// SPDX-License-Identifier: Apache-2.0
// Makes windows from pixels that come line by line. Line memories hold the lines above.
// Multiplexers replace lines beyond the top and the bottom. The column part of the operation sees K
// lines at a time. Its words run through delay lines, and multiplexers at the taps replace those
// beyond the ends of the line. Every tap is read with the skew of its slice: delaying the select
// bits is cheaper than delaying the data.
#pragma once
#include "gen/layers/vision/control.h"

namespace kumiki::gen::vision {

struct Windows {
  Lanes values;  // [lane][tap of the operation]
  Lanes middle;  // [pixel][channel], if the window keeps it; delayed like the operation's results
};

// `data` is [pixel][channel] of the beat that the next step takes.
Windows build_windows(Scope& s, const Group& group, const Control& control,
                      const std::vector<UInt>& data);

}  // namespace kumiki::gen::vision
