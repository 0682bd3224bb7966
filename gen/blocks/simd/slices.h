// SPDX-License-Identifier: Apache-2.0
// Words side by side on slices: takes whole lanes, returns whole lanes and their carries.
#pragma once
#include "gen/blocks/simd/simd.h"
#include "gen/hdl/dsp.h"

namespace kumiki::gen::simd {

// The settings that all slices of an operation share.
struct Operation {
  std::uint16_t opmode = 0;
  std::uint8_t alumode = 0;
};

struct LaneResults {
  Words p;                   // whole lanes
  std::vector<Net> carries;  // of the lanes
};

// ab[i] on A:B, c[i] on C (may be empty); all have the width of a lane.
LaneResults run(Scope& s, const Options& options, const Operation& operation, const Words& ab,
                const Words& c, SourceLocation here);

}  // namespace kumiki::gen::simd
