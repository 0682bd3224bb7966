// SPDX-License-Identifier: Apache-2.0
// What one stage makes of a pixel, as Verilog.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/vision/request.h"

namespace kumiki::gen::vision {

// Numbers in wires of WIDE bits and a sign; what they are known to be besides.
struct Channel {
  std::string name;
  Format format;
};

// What halving does before it leaves pixels out, for pixels of a format.
StageRequest smoothing(const StageRequest& half, const Format& pixel);

// How many bits no number of the stage exceeds, also on the way.
int bits_wanted(const StageRequest& stage, const std::vector<Format>& in);

// Adds the wires to `body`. `window`: of every channel its pixels row by row, or the pixel itself.
// `formats`: those of the results. A kernel that is loaded is in `coefficients`, the first one
// lowest.
std::vector<Channel> stage_text(const StageRequest& stage,
                                const std::vector<std::vector<Channel>>& window,
                                const std::vector<Format>& formats, std::string& body);

}  // namespace kumiki::gen::vision
