// SPDX-License-Identifier: Apache-2.0
// The beats of a frame, line by line, with positions around the map that take none: those go by as
// soon as there is room.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/pipeline/machines/walk.h"

namespace kumiki::gen::pipeline {

struct RasterPlan {
  std::int64_t blocks = 1;
  std::vector<bool> lines, columns;  // each position: of the map
  bool has_border() const;
};

struct Raster {
  Net ready;  // from a register
  Net takes;  // a beat
  Net moves;  // to the next beat or position
  Cycle block, column, line;
};

// `room_next`: whether there is room in the next clock.
Raster build_raster(Scope& s, const RasterPlan& plan, Net valid, Net room_next, Net reset);

// The lanes in registers, a clock behind the position; around the map `fill`.
UInt raster_word(Scope& s, const RasterPlan& plan, const Raster& raster,
                 const std::vector<UInt>& lanes, std::uint64_t fill);

}  // namespace kumiki::gen::pipeline
