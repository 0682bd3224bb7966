// SPDX-License-Identifier: Apache-2.0
// Words side by side on slices: whole lanes in, whole lanes and their carries out.
#pragma once
#include "gen/blocks/simd/simd.h"
#include "gen/hdl/dsp.h"

namespace kumiki::gen::simd {

// What all slices of an operation share.
struct Operation {
  std::uint16_t opmode = 0;
  std::uint8_t alumode = 0;
  Word opmode_nets = {};  // left out: the constant
  std::uint16_t opmode_inverted = 0;
};

struct LaneResults {
  Words p;                   // whole lanes
  std::vector<Net> carries;  // of the lanes
};

// ab[i] on A:B, c[i] on C (may be left out), all of the width of a lane.
LaneResults run(Scope& s, const Options& options, const Operation& operation, const Words& ab,
                const Words& c, SourceLocation here);

}  // namespace kumiki::gen::simd
