// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one stage on a pixel, as Verilog.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/vision/request.h"

namespace kumiki::gen::vision {

// A signed wire of WIDE bits, and the format that its values are known to have.
struct Channel {
  std::string name;
  Format format;
};

// The smoothing before a halving stage drops pixels, for pixels of a format.
StageRequest smoothing(const StageRequest& half, const Format& pixel);

// The width that holds every number of the stage, including intermediate results.
int bits_wanted(const StageRequest& stage, const std::vector<Format>& in);

// Adds wires to `body`. `window` has for every channel its pixels row by row, or the pixel itself;
// `formats` are those of the results. A loaded kernel is in `coefficients`, the first coefficient
// lowest.
std::vector<Channel> stage_text(const StageRequest& stage,
                                const std::vector<std::vector<Channel>>& window,
                                const std::vector<Format>& formats, std::string& body);

}  // namespace kumiki::gen::vision
