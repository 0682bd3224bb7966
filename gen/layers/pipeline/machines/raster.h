// SPDX-License-Identifier: Apache-2.0
// The beats of a frame, line by line, with border positions around the map. Border positions take
// no beat and pass as soon as there is room.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {

struct Raster {
  Net ready;  // from a register
  Net takes;  // takes a beat
  Net moves;  // moves on to the next beat or position
  Cycle block, column, line;
};

// `room_next`: there is room in the next clock.
Raster build_raster(Scope& s, const RasterPlan& plan, Net valid, Net room_next, Net reset);

// The lanes in registers, one clock after the position; `fill` in the border.
UInt raster_word(Scope& s, const RasterPlan& plan, const Raster& raster,
                 const std::vector<UInt>& lanes, std::uint64_t fill);

}  // namespace kumiki::gen::pipeline
