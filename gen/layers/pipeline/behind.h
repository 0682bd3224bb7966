// SPDX-License-Identifier: Apache-2.0
// What a folding costs behind its layer: slices of the machines that take its numbers in the lanes
// in which they come, up to those that set their own. A folding with fewer slices may leave more
// lanes, each of which is requantised and added to others in slices too.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/pipeline/foldings.h"

namespace kumiki::gen::pipeline {

// The lanes that divide those of a stream and let a frame by in so many clocks, the fewest first;
// its own are always there.
std::vector<std::int64_t> dividing_lanes(Stream stream, std::int64_t clocks);

// The lanes of a largest number of windows: those in which the map comes, or more where the windows
// that reach past it would take too many clocks.
std::int64_t lanes_of_pool(const Stream& map, const graph::Window& window, std::int64_t clocks);

class Behind {
 public:
  // For frames of so many clocks.
  Behind(const Foldings& foldings, std::int64_t clocks) : f_(foldings), clocks_(clocks) {}
  // Of the sums of a Conv or GlobalAverage.
  std::int64_t slices(std::size_t node, const Stream& sums) const;
  // The lanes in which they become numbers: the fewest with which slices here and behind are
  // fewest.
  std::int64_t lanes_of_numbers(std::size_t node, const Stream& sums) const;

 private:
  struct Best {
    std::int64_t lanes, slices;
  };
  Best best(std::size_t node, const Stream& sums) const;
  std::int64_t of_numbers(graph::TensorId id, std::int64_t lanes) const;
  std::int64_t of_add(std::size_t node) const;  // of a lane

  const Foldings& f_;
  std::int64_t clocks_;
};

}  // namespace kumiki::gen::pipeline
